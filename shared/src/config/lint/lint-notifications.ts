import { quoteText } from "../parser/parser.ts";
import type { RealmPlan } from "../plan.ts";
import { addWarning, type LintContext, objectPath } from "./lint-context.ts";

/** Names of the policies that objects use. */
export const usedPolicies = ({ objects }: RealmPlan): ReadonlySet<string> =>
  new Set([...objects.values()].map(({ policy }) => policy).filter((policy) => policy !== ""));

/**
 * Warns of objects that never notify. An object that a notifying process reads is covered by the process.
 *
 * @param mutePolicies policies that never reach a recipient
 */
export function lintNotifications(l: LintContext, mutePolicies: ReadonlySet<string>): void {
  const { plan } = l;
  if (plan.objects.size > 0 && plan.policies.size === 0)
    return addWarning(l, [], "declares no notification policy: no notification is ever sent", { at: "struct" });
  const covered = readByNotifyingProcesses(plan, mutePolicies);
  for (const object of plan.objects.values()) {
    if (covered.has(object.ref)) continue;
    const path = objectPath(object);
    if (object.policy === "")
      addWarning(l, path, "names no notification policy: the object never notifies", { at: "struct" });
    else if (mutePolicies.has(object.policy)) {
      const subject = `names ${quoteText(object.policy)}, a notification policy that never reaches a recipient`;
      addWarning(l, [...path, "notification"], `${subject}: the object never notifies`);
    }
  }
}

/** References of all objects that notifying processes read, directly or through other processes. */
function readByNotifyingProcesses({ objects }: RealmPlan, mutePolicies: ReadonlySet<string>): ReadonlySet<string> {
  const covered = new Set<string>();
  const visit = (ref: string): void => {
    const object = objects.get(ref);
    if (object === undefined || !("inputs" in object)) return;
    for (const input of object.inputs) {
      if (covered.has(input)) continue;
      covered.add(input);
      visit(input);
    }
  };
  for (const { ref, policy } of objects.values()) if (policy !== "" && !mutePolicies.has(policy)) visit(ref);
  return covered;
}
