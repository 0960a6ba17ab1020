import type { RulePlan } from "@realmwatch/shared/config/plan";
import { never } from "@realmwatch/shared/model/never";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { counted } from "@realmwatch/shared/view/plural";

/** Statuses, best first. `pending` is filtered out before statuses are compared. */
const order: readonly Status[] = ["ok", "warning", "unknown", "critical", "unreachable"];

const worse = (a: Status, b: Status): Status => (order.indexOf(a) >= order.indexOf(b) ? a : b);
const better = (a: Status, b: Status): Status => (order.indexOf(a) <= order.indexOf(b) ? a : b);

function combine(children: readonly Status[], pick: (a: Status, b: Status) => Status): Status {
  const known: Status[] = children.filter((status) => status !== "pending");
  return known.length === 0 ? "pending" : known.reduce(pick);
}

/** [BP4] The worst of the best n; unknown when fewer than n were checked, pending when none was. */
function worstOfBest(children: readonly Status[], needed: number): Status {
  const known = children.filter((status) => status !== "pending");
  if (known.length === 0) return "pending";
  if (known.length < needed) return "unknown";
  return known.sort((a, b) => order.indexOf(a) - order.indexOf(b))[needed - 1] ?? "unknown";
}

const soften = (status: Status): Status => (status === "critical" ? "warning" : status);

/** [BP6] Turns ok into critical, and any problem into ok; `pending` stays. */
function invert(status: Status): Status {
  if (status === "pending") return "pending";
  return status === "ok" ? "critical" : "ok";
}

/** [BP1-BP6] Status of a rule, given the status of each object that it references. */
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

/** Number of problem inputs that an output names; the others are only counted. */
const namedInputs = 5;

/** Output of a process: the inputs with problems, and the number of inputs not checked yet. */
export function describeInputs(inputs: readonly string[], statusOf: (ref: string) => Status): string {
  const bad = inputs.filter((ref) => isProblem(statusOf(ref)));
  const unchecked = inputs.filter((ref) => statusOf(ref) === "pending").length;
  const rest = unchecked === 0 ? "" : `; ${unchecked} not checked yet`;
  const all = counted(inputs.length, "input");
  if (bad.length === 0) return `no problem in ${all}${rest}`;
  const named = bad.slice(0, namedInputs).join(", ") + (bad.length > namedInputs ? ", …" : "");
  return `problems in ${bad.length} of ${all}: ${named}${rest}`;
}
