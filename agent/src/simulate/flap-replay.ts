import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { FlapState } from "../engine/flapping/flapping.ts";
import type { ObjectState } from "../engine/state/object-state.ts";

/** Recorded effect of a result on flapping; undefined when flapping did not change. */
export type RecordedFlapChange = "start" | "stop" | undefined;

/** A flap value that stays above any threshold with the next sample. */
const aboveAnyThreshold = 1e9;

/**
 * Flap state before a result, chosen so that the object starts and stops flapping exactly when recorded. The real flap
 * value is unknown, because the number of results between two changes is not recorded.
 */
export function replayFlap({ flapping }: FlapState, change: RecordedFlapChange): FlapState {
  if (change === "start") return { value: 1, flapping: false };
  if (change === "stop") return { value: 0, flapping: true };
  return { value: flapping ? aboveAnyThreshold : 0, flapping };
}

/** Flap state before a result, estimated with the stable results that must have arrived since the last change. */
export function estimateFlap(plan: ObjectPlan, { flap, phase, last }: ObjectState, nowMs: number): FlapState {
  if (!isChecked(plan) || last === undefined) return flap;
  const { checkIntervalMs, retryIntervalMs } = plan.schedule;
  const intervalMs = phase.kind === "soft" ? retryIntervalMs : checkIntervalMs;
  const between = Math.max(0, Math.floor((nowMs - last.executedAtMs) / intervalMs) - 1);
  return { ...flap, value: Math.min(1, flap.value) * (1 - plan.flap.alpha) ** between };
}

/** Time from the last result until an object that does not change any more stops flapping, ms. */
export function stableUntilNotFlappingMs(plan: ObjectPlan, { value }: FlapState): number {
  if (!isChecked(plan)) return Infinity;
  const { alpha, lowThreshold } = plan.flap;
  const low = Math.max(lowThreshold, 1e-9);
  const samples = alpha >= 1 ? 1 : Math.ceil(Math.log(low / Math.min(1, Math.max(value, low))) / Math.log(1 - alpha));
  return Math.max(1, samples) * plan.schedule.checkIntervalMs;
}
