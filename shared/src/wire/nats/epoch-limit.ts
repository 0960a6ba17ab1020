/** Time by which an epoch may be ahead of the receiver's clock, ms: epochs are wall clocks, and clocks differ. */
const maxEpochAheadMs = 24 * 3_600_000;

/** True for an epoch that no clock explains: it would outrank all that its realm publishes later. */
export const isEpochTooFarAhead = (epoch: number, nowMs: number): boolean => !(epoch <= nowMs + maxEpochAheadMs);
