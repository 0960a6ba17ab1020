import type { RandomSource } from "@realmwatch/shared/platform/random";

const firstMs = 1_000;
const longestMs = 60_000;

/**
 * How long to wait before the next attempt, ms: twice as long after each failure, at most a minute, and half of it left
 * to chance, so that many who failed together do not come back together. A receiver's own wish is a lower bound.
 *
 * @param failures how many attempts failed in a row, at least 1
 * @param afterMs what the receiver asked for
 */
export function backoffMs(failures: number, chance: RandomSource, afterMs = 0): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 20));
  return Math.max(afterMs, fullMs * (0.5 + chance() / 2));
}
