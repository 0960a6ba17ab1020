import type { RandomSource } from "./random.ts";

/** Bounds of the delay between attempts, ms. */
type BackoffBounds = { readonly firstMs: number; readonly longestMs: number };

/**
 * Delay before the next attempt, ms: `firstMs` after the first failure, doubled with each further one up to
 * `longestMs`. With `random`, half of it is random, so that attempts that failed together are not repeated together.
 *
 * @param failures number of consecutive failed attempts, at least 1
 */
export function backoffMs({ firstMs, longestMs }: BackoffBounds, failures: number, random?: RandomSource): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return random === undefined ? fullMs : fullMs * (0.5 + random() / 2);
}
