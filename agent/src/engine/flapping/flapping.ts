import type { FlapPlan } from "@realmwatch/shared/config/check-spec";

/** `value` is dimensionless in [0, 1]. */
export type FlapState = { readonly value: number; readonly flapping: boolean };

export const notFlapping: FlapState = { value: 0, flapping: false };

/** Below this a rate counts as zero, so that a low threshold of 0 can be reached at all. */
export const minFlapRate = 1e-9;

/**
 * [FL1-FL3] Folds one result into the moving average of status changes. It starts only on a change and
 * stops only on a stable result, so that equal thresholds cannot chatter.
 *
 * @param changed whether this result's raw status differs from the one before it
 */
export function updateFlap(flap: FlapState, changed: boolean, rule: FlapPlan): FlapState {
  if (!rule.enabled) return notFlapping;
  const value = rule.alpha * (changed ? 1 : 0) + (1 - rule.alpha) * flap.value;
  if (flap.flapping) return { value, flapping: changed || value > Math.max(rule.lowThreshold, minFlapRate) };
  return { value, flapping: changed && value >= rule.highThreshold };
}
