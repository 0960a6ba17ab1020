/** Evidence below which a figure is marked, percent. */
const enoughEvidence = 95;

/** [SL13] True for a share of known time, in percent, that is too small to rely on a figure. */
export const isLowEvidence = (percent: number): boolean => percent < enoughEvidence;
