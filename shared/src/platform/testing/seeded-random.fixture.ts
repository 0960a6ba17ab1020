import type { TestContext } from "node:test";
import { systemClock } from "../system-clock.ts";

/** Random numbers that the seed determines. */
export type SeededRandom = {
  /** Returns a number in [0, `limit`). */
  upTo(limit: number): number;
  /** Returns one of the elements. */
  oneOf<const T>(all: readonly [T, ...T[]]): T;
};

/** Random number generator Mulberry32: the same seed gives the same numbers. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const upTo = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (((word ^ (word >>> 14)) >>> 0) / 2 ** 32) * limit;
  };
  return { upTo, oneOf: (all) => all[Math.floor(upTo(all.length))] ?? all[0] };
}

/** Seed of a test: the environment variable `SEED`, or a new one. Printed as a diagnostic, to repeat a run. */
export function testSeed(t: Pick<TestContext, "diagnostic">): number {
  const seed = Number(process.env["SEED"] ?? Math.floor(systemClock.now()) % 1_000_000);
  t.diagnostic(`SEED=${seed} repeats the random choices of this test`);
  return seed;
}
