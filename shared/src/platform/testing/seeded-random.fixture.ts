/** Chance that a number can repeat. */
export type SeededRandom = {
  /** From 0 on, below `limit`; any fraction. */
  upTo(limit: number): number;
  /** Any of them; there is at least one. */
  oneOf<const T>(all: readonly [T, ...T[]]): T;
};

/** Mulberry32: the same numbers for the same seed. */
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
