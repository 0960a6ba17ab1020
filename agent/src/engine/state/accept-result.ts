import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { updateDowntimes } from "../downtimes/apply-downtime.ts";
import type { CheckResult } from "../input.ts";
import { andThen, type StepContext, type Transition } from "../transition.ts";
import { applyResult } from "./apply-result.ts";
import type { ObjectState } from "./object-state.ts";

/** [TG2] Drops a submitted result while passive checks are off, with a history entry. */
function dropPassiveResult({ plan, nowMs }: StepContext, state: ObjectState, result: CheckResult): Transition {
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "state",
    key: plan.key,
    output: `dropped, passive checks are off: ${result.output}`,
  };
  return { state, history: [entry], followUps: [], dropped: "passive_off" };
}

/** Applies a result unless it is refused, then starts the flexible downtimes that wait for a problem. */
export function acceptResult(context: StepContext, state: ObjectState, result: CheckResult): Transition {
  const { plan, objectContext, nowMs } = context;
  const refused = result.origin === "passive" && !(objectContext.passiveChecksOn && state.toggles.passiveChecks);
  if (refused) return dropPassiveResult(context, state, result);
  return andThen(applyResult(plan, state, { result, objectContext, nowMs }), (next) => updateDowntimes(context, next));
}
