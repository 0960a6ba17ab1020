import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import { spreadOf } from "../../engine/state/check-spread.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";

const unscheduled = { nextCheckAtMs: undefined, missedTurnAtMs: undefined, checkAskedAtMs: undefined } as const;

/**
 * [RL3, FR7] Adjusts the state of an object whose check definition changed: the next check is due within a retry
 * interval; an object that became passive has none, and its freshness threshold counts from now.
 */
export function applyCheckChange(object: ObjectPlan, state: ObjectState, nowMs: number): ObjectState {
  const scheduled = scheduledPlanOf(object);
  if (scheduled === undefined)
    return isChecked(object) ? { ...state, ...unscheduled, freshFromMs: nowMs } : { ...state, ...unscheduled };
  if (state.nextCheckAtMs === undefined) return state;
  const soonAtMs = Math.ceil(nowMs + spreadOf(object.ref) * scheduled.schedule.retryIntervalMs);
  return soonAtMs < state.nextCheckAtMs ? { ...state, nextCheckAtMs: soonAtMs } : state;
}
