import type { RulePlan } from "@realmwatch/shared/config/plan";
import { never } from "@realmwatch/shared/model/never";
import { isProblem, type Status } from "@realmwatch/shared/model/status";

/** Best first. `pending` is left out before anything is compared. */
const order: readonly Status[] = ["ok", "warning", "unknown", "critical", "unreachable"];

const worse = (a: Status, b: Status): Status => (order.indexOf(a) >= order.indexOf(b) ? a : b);
const better = (a: Status, b: Status): Status => (order.indexOf(a) <= order.indexOf(b) ? a : b);

function combine(children: readonly Status[], pick: (a: Status, b: Status) => Status): Status {
  const known: Status[] = children.filter((status) => status !== "pending");
  return known.length === 0 ? "pending" : known.reduce(pick);
}

/** [BP4] The worst of the best n; unknown where fewer than n are left, pending where nothing was checked yet. */
function worstOfBest(children: readonly Status[], needed: number): Status {
  const known = children.filter((status) => status !== "pending");
  if (known.length === 0) return "pending";
  if (known.length < needed) return "unknown";
  return known.sort((a, b) => order.indexOf(a) - order.indexOf(b))[needed - 1] ?? "unknown";
}

const soften = (status: Status): Status => (status === "critical" ? "warning" : status);

/** [BP6] Well becomes critical, and anything wrong becomes well. */
function invert(status: Status): Status {
  if (status === "pending") return "pending";
  return status === "ok" ? "critical" : "ok";
}

/** [BP1-BP6] What a rule says, given what each reference says. Pure and total. */
export function evaluateRule(rule: RulePlan, statusOf: (ref: string) => Status): Status {
  const all = (of: readonly RulePlan[]): Status[] => of.map((child) => evaluateRule(child, statusOf));
  switch (rule.kind) {
    case "ref":
      return statusOf(rule.ref);
    case "worst":
      return combine(all(rule.of), worse);
    case "best":
      return combine(all(rule.of), better);
    case "degraded":
      return soften(combine(all(rule.of), worse));
    case "at_least":
      return worstOfBest(
        all(rule.of),
        "count" in rule.needed ? rule.needed.count : Math.ceil((rule.needed.percent / 100) * rule.of.length),
      );
    case "not":
      return invert(evaluateRule(rule.of, statusOf));
    default:
      return never(rule);
  }
}

/** Inputs named in an output; the others are counted. */
const namedInputs = 5;

/** What a process says of its inputs: which have problems, and how many nobody has looked at yet. */
export function describeInputs(inputs: readonly string[], statusOf: (ref: string) => Status): string {
  const bad = inputs.filter((ref) => isProblem(statusOf(ref)));
  const unchecked = inputs.filter((ref) => statusOf(ref) === "pending").length;
  const rest = unchecked === 0 ? "" : `; ${unchecked} not checked yet`;
  const all = `${inputs.length} ${inputs.length === 1 ? "input" : "inputs"}`;
  if (bad.length === 0) return `no problem in ${all}${rest}`;
  const named = bad.slice(0, namedInputs).join(", ") + (bad.length > namedInputs ? ", …" : "");
  return `problems in ${bad.length} of ${all}: ${named}${rest}`;
}
