import type { FlapPlan } from "@realmwatch/shared/config/check-spec";

/** `value` is dimensionless in [0, 1]. */
export type Flap = { readonly value: number; readonly flapping: boolean };

export const calm: Flap = { value: 0, flapping: false };

/** Below this a rate counts as zero, so that a low threshold of 0 can be reached at all. */
export const leastRate = 1e-9;

/**
 * [FL1-FL3] Folds one result into the moving average of status changes. It starts only on a change and
 * stops only on a stable result, so that equal thresholds cannot chatter.
 *
 * @param changed whether this result's raw status differs from the one before it
 */
export function foldFlap(flap: Flap, changed: boolean, rule: FlapPlan): Flap {
  if (!rule.enabled) return calm;
  const value = rule.alpha * (changed ? 1 : 0) + (1 - rule.alpha) * flap.value;
  if (flap.flapping) return { value, flapping: changed || value > Math.max(rule.lowThreshold, leastRate) };
  return { value, flapping: changed && value >= rule.highThreshold };
}
