import type { DependencyPlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import type { FailedDependency } from "../object-context.ts";
import { type ObjectState, statusOf } from "../state/object-state.ts";
import { evaluateRule } from "./business-process.ts";

/**
 * [DP2] Status of an object as a dependency's rule reads it. An object in its first soft problem has been checked, so
 * it reads as `ok`, not as `pending`. A missing object reads as `pending`.
 */
function dependencyStatusOf(state: ObjectState | undefined, states: DependencyPlan["states"]): Status {
  if (state === undefined) return "pending";
  const status = statusOf(state.phase);
  if (states === "soft" || status === "pending") return status;
  return state.lastHardStatus === "pending" ? "ok" : state.lastHardStatus;
}

/** [DP1, DP3] True when the rule's status is one of `failsOn`; the dependency's period is not considered. */
export function isDependencyRuleFailed(
  { on, failsOn, states }: Pick<DependencyPlan, "on" | "failsOn" | "states">,
  stateOf: (ref: string) => ObjectState | undefined,
): boolean {
  return failsOn.includes(evaluateRule(on, (ref) => dependencyStatusOf(stateOf(ref), states)));
}

/** [DP7] The failed dependency that suppresses all, if there is one; else the first in the order of configuration. */
export function strongestDependency<T extends Pick<FailedDependency, "suppress">>(failed: readonly T[]): T | undefined {
  return failed.find(({ suppress }) => suppress === "all") ?? failed[0];
}
