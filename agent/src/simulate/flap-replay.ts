import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { FlapState } from "../engine/flapping/flapping.ts";
import type { ObjectState } from "../engine/state/object-state.ts";

/** What the record says that a result did to flapping. */
export type RecordedFlapChange = "start" | "stop" | undefined;

/** Enough for a rate to stay above any threshold, whatever the next sample. */
const plenty = 1e9;

/**
 * The rate before a result that makes the object begin or stop to flap exactly where the record says so: how many
 * results there were between two changes is not recorded, so the real rate is not known.
 */
export function replayFlap({ flapping }: FlapState, word: RecordedFlapChange): FlapState {
  if (word === "start") return { value: 1, flapping: false };
  if (word === "stop") return { value: 0, flapping: true };
  return { value: flapping ? plenty : 0, flapping };
}

/** The rate before a result, with the stable ones reckoned in that must have come since the last one. */
export function estimateFlap(plan: ObjectPlan, { flap, phase, last }: ObjectState, nowMs: number): FlapState {
  if (!isChecked(plan) || last === undefined) return flap;
  const { checkIntervalMs, retryIntervalMs } = plan.schedule;
  const intervalMs = phase.kind === "soft" ? retryIntervalMs : checkIntervalMs;
  const between = Math.max(0, Math.floor((nowMs - last.executedAtMs) / intervalMs) - 1);
  return { ...flap, value: Math.min(1, flap.value) * (1 - plan.flap.alpha) ** between };
}

/** How long after its last result an object that is stable from now on stops to flap, ms. */
export function stableUntilNotFlappingMs(plan: ObjectPlan, { value }: FlapState): number {
  if (!isChecked(plan)) return Infinity;
  const { alpha, lowThreshold } = plan.flap;
  const low = Math.max(lowThreshold, 1e-9);
  const samples = alpha >= 1 ? 1 : Math.ceil(Math.log(low / Math.min(1, Math.max(value, low))) / Math.log(1 - alpha));
  return Math.max(1, samples) * plan.schedule.checkIntervalMs;
}
