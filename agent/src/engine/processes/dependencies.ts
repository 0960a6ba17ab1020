import type { DependencyPlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import { statusOf } from "../state/attempts.ts";
import { evaluateRule } from "./business-process.ts";
import type { FailedDependency } from "../object-context.ts";
import type { ObjectState } from "../state/object-state.ts";

/**
 * [DP2] What a dependency's rule reads of an object. One whose first problem is not confirmed yet was checked, so it
 * is not `pending`: nothing is known against it. What is not there was never checked.
 */
function readForDependency(state: ObjectState | undefined, states: DependencyPlan["states"]): Status {
  if (state === undefined) return "pending";
  const status = statusOf(state.phase);
  if (states === "soft" || status === "pending") return status;
  return state.lastHardStatus === "pending" ? "ok" : state.lastHardStatus;
}

/** [DP1, DP3] Whether the rule says what the dependency fails on, its period aside. */
export function isDependencyRuleFailed(
  { on, failsOn, states }: Pick<DependencyPlan, "on" | "failsOn" | "states">,
  stateOf: (ref: string) => ObjectState | undefined,
): boolean {
  return failsOn.includes(evaluateRule(on, (ref) => readForDependency(stateOf(ref), states)));
}

/** [DP7] Of several that hold the one that silences more counts; of equal ones the first of the configuration. */
export function strongestDependency<T extends Pick<FailedDependency, "suppress">>(holding: readonly T[]): T | undefined {
  return holding.find(({ suppress }) => suppress === "all") ?? holding[0];
}
