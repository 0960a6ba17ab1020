/**
 * The epoch of a start, or of a later change of mind: the wall clock in ms, or one more than the greatest epoch
 * that is known of (kept in the data directory, or found in the stream), whichever is more.
 */
export const mintEpoch = (nowMs: number, greatestKnown: number): number =>
  Math.max(Math.floor(nowMs), greatestKnown + 1);
