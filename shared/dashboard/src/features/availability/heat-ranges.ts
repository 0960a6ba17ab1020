/** Length of a heat bar and number of its buckets, by the name of the range in the address. Lengths are ms. */
export const heatRanges = {
  "24h": { lengthMs: 86_400_000, buckets: 72 },
  "7d": { lengthMs: 604_800_000, buckets: 84 },
  "30d": { lengthMs: 2_592_000_000, buckets: 60 },
  "90d": { lengthMs: 7_776_000_000, buckets: 90 },
} as const;
export type HeatRange = keyof typeof heatRanges;

export const heatRangeOf = (text: string | undefined): HeatRange =>
  text !== undefined && Object.hasOwn(heatRanges, text) ? (text as HeatRange) : "24h";

/** Time that a heat bar ends at: now, up to the next whole minute, so that a bar moves once a minute. Unix ms. */
export const heatEndMs = (nowMs: number): number => Math.ceil(nowMs / 60_000) * 60_000;
