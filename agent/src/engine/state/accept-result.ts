import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { andThen, settle } from "../downtimes/apply-downtime.ts";
import { applyResult, type Stepped } from "./apply-result.ts";
import type { CheckResult } from "../input.ts";
import type { ObjectState } from "./object-state.ts";
import type { StepContext } from "../step-context.ts";

/** [TG2] Where passive checks are off a submitted result is dropped, and history says so. */
function dropPassive({ plan, nowMs }: StepContext, state: ObjectState, result: CheckResult): Stepped {
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "state",
    key: plan.key,
    output: `dropped, passive checks are off: ${result.output}`,
  };
  return { state, history: [entry], followUps: [], dropped: "passive_off" };
}

/** Folds a result into the state, where it may come, and lets downtimes that wait for a problem begin with it. */
export function takeResult(context: StepContext, state: ObjectState, result: CheckResult): Stepped {
  const { plan, around, nowMs } = context;
  const refused = result.origin === "passive" && !(around.passiveChecksOn && state.toggles.passiveChecks);
  if (refused) return dropPassive(context, state, result);
  return andThen(applyResult(plan, state, { result, around, nowMs }), (next) => settle(context, next));
}
