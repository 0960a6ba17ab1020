import type { FlapPlan } from "@realmwatch/shared/config/check-spec";

/** `value`: moving average of status changes, dimensionless in [0, 1]. */
export type FlapState = { readonly value: number; readonly flapping: boolean };

export const notFlapping: FlapState = { value: 0, flapping: false };

/** Flap values up to this one count as zero, so that a `lowThreshold` of 0 can be reached. */
export const minFlapRate = 1e-9;

/**
 * [FL1-FL3] Adds one result to the moving average of status changes. Flapping starts only with a change and stops
 * only with a stable result, so that equal thresholds do not make it start and stop with every result.
 *
 * @param changed true when this result's raw status differs from that of the result before it
 */
export function updateFlap(flap: FlapState, changed: boolean, rule: FlapPlan): FlapState {
  if (!rule.enabled) return notFlapping;
  const value = rule.alpha * (changed ? 1 : 0) + (1 - rule.alpha) * flap.value;
  if (flap.flapping) return { value, flapping: changed || value > Math.max(rule.lowThreshold, minFlapRate) };
  return { value, flapping: changed && value >= rule.highThreshold };
}
