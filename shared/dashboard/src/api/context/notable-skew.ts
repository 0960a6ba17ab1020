/** Difference of two clocks up to which ages and times are good enough to be compared, ms. */
const tolerableMs = 30_000;
/** Step of the reported difference, ms, so that it does not change with every response. */
const stepMs = 10_000;

/** Difference of two clocks, ms, rounded to 10 s; 0 up to 30 s in either direction. */
export const notableSkewMs = (skewMs: number): number =>
  Math.abs(skewMs) <= tolerableMs ? 0 : Math.round(skewMs / stepMs) * stepMs;
