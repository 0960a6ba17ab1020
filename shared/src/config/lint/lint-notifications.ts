import { quoteText } from "../parser/parser.ts";
import type { RealmPlan } from "../plan.ts";
import { addWarning, type LintContext, objectPath } from "./lint-context.ts";

/** The policies that objects name. */
export const usedPolicies = ({ objects }: RealmPlan): ReadonlySet<string> =>
  new Set([...objects.values()].map(({ policy }) => policy).filter((policy) => policy !== ""));

/**
 * Warns of objects that nobody is ever told of, in any way: an object that a process reads is told of by the process.
 *
 * @param mute policies that never tell anybody
 */
export function lintNotifications(l: LintContext, mute: ReadonlySet<string>): void {
  const { plan } = l;
  if (plan.objects.size > 0 && plan.policies.size === 0)
    return addWarning(l, [], "declares no notification policy: nobody is ever told of anything", { at: "struct" });
  const behind = readByTelling(plan, mute);
  for (const object of plan.objects.values()) {
    if (behind.has(object.ref)) continue;
    const path = objectPath(object);
    if (object.policy === "")
      addWarning(l, path, "names no notification policy: nobody is ever told of it", { at: "struct" });
    else if (mute.has(object.policy)) {
      const who = `names ${quoteText(object.policy)}, a notification policy that never reaches anybody`;
      addWarning(l, [...path, "notification"], `${who}: nobody is ever told of it`);
    }
  }
}

/** References of everything that a process with a policy is made of, and so on down. */
function readByTelling({ objects }: RealmPlan, mute: ReadonlySet<string>): ReadonlySet<string> {
  const behind = new Set<string>();
  const visit = (ref: string): void => {
    const object = objects.get(ref);
    if (object === undefined || !("inputs" in object)) return;
    for (const input of object.inputs) {
      if (behind.has(input)) continue;
      behind.add(input);
      visit(input);
    }
  };
  for (const { ref, policy } of objects.values()) if (policy !== "" && !mute.has(policy)) visit(ref);
  return behind;
}
