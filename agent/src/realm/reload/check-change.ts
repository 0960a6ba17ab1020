import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import { spreadOf } from "../../engine/state/check-spread.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";

const unscheduled = { nextCheckAtMs: undefined, missedTurnAtMs: undefined, checkAskedAtMs: undefined } as const;

/**
 * [RL3, FR7] How the state of an object goes on that is looked at differently from now on: its next check is not farther
 * away than a retry interval, or there is none; whoever sends its results has a whole threshold to begin.
 */
export function applyCheckChange(object: ObjectPlan, state: ObjectState, nowMs: number): ObjectState {
  const scheduled = scheduledPlanOf(object);
  if (scheduled === undefined)
    return isChecked(object) ? { ...state, ...unscheduled, freshFromMs: nowMs } : { ...state, ...unscheduled };
  if (state.nextCheckAtMs === undefined) return state;
  const soonAtMs = Math.ceil(nowMs + spreadOf(object.ref) * scheduled.schedule.retryIntervalMs);
  return soonAtMs < state.nextCheckAtMs ? { ...state, nextCheckAtMs: soonAtMs } : state;
}
