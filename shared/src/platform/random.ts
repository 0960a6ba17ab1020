/** Returns a random number in [0, 1), for example for jitter. Not suitable for secrets. */
export type RandomSource = () => number;

export const systemRandom: RandomSource = () => Math.random();
