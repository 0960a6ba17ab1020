/** A number in [0, 1), a different one each time: for spreading things in time, of no use for secrets. */
export type RandomSource = () => number;

export const systemRandom: RandomSource = () => Math.random();
