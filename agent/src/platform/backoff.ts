import type { RandomSource } from "@realmwatch/shared/platform/random";

const firstMs = 1_000;
const longestMs = 60_000;

/**
 * Delay before the next attempt, ms: doubles with each failure up to one minute. Half of it is random, so that contacts
 * that failed together do not retry together. A delay requested by the receiver is a lower bound.
 *
 * @param failures number of consecutive failed attempts, at least 1
 * @param afterMs delay that the receiver requested
 */
export function backoffMs(failures: number, random: RandomSource, afterMs = 0): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 20));
  return Math.max(afterMs, fullMs * (0.5 + random() / 2));
}
