/**
 * New epoch of a realm, at the agent's start or later: the wall clock in ms, or one more than the greatest known
 * epoch (stored in the data directory, or found in the stream), whichever is greater.
 */
export const mintEpoch = (nowMs: number, greatestKnown: number): number =>
  Math.max(Math.floor(nowMs), greatestKnown + 1);
