import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { updateDowntimes } from "../downtimes/apply-downtime.ts";
import { andThen } from "../transition.ts";
import { applyResult } from "./apply-result.ts";
import type { Transition } from "../transition.ts";
import type { CheckResult } from "../input.ts";
import type { ObjectState } from "./object-state.ts";
import type { StepContext } from "../step-context.ts";

/** [TG2] Where passive checks are off a submitted result is dropped, and history says so. */
function dropPassive({ plan, nowMs }: StepContext, state: ObjectState, result: CheckResult): Transition {
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "state",
    key: plan.key,
    output: `dropped, passive checks are off: ${result.output}`,
  };
  return { state, history: [entry], followUps: [], dropped: "passive_off" };
}

/** Folds a result into the state, where it may come, and lets downtimes that wait for a problem begin with it. */
export function acceptResult(context: StepContext, state: ObjectState, result: CheckResult): Transition {
  const { plan, objectContext, nowMs } = context;
  const refused = result.origin === "passive" && !(objectContext.passiveChecksOn && state.toggles.passiveChecks);
  if (refused) return dropPassive(context, state, result);
  return andThen(applyResult(plan, state, { result, objectContext, nowMs }), (next) => updateDowntimes(context, next));
}
