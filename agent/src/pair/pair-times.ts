/** Times of a pair that follow from `-pair-lease`, ms. Both members have the same. */
export type PairTimes = {
  /** Time for which a written lease gives its member the right to act, counted from before it was sent. */
  readonly leaseMs: number;
  /** Time by which clocks of both members may differ over a lease. */
  readonly marginMs: number;
  /** Interval at which the active member writes its lease again. */
  readonly renewalMs: number;
  /** Time for which a promise of the standby gives the active member the right to act. */
  readonly promiseMs: number;
  /**
   * Time for which a lease has to stand unchanged before another member may replace it, and for which a member keeps a
   * promise: both end after the right that they give.
   */
  readonly challengeMs: number;
  /** Interval at which the lease is read. */
  readonly readMs: number;
  /** Longest gap between readings after which the lease still counts as unchanged. */
  readonly readGapMs: number;
  /** Maximum timeout of one delivery, handler or batch of a sink. */
  readonly longestActionMs: number;
};

/** Time without a word of the standby, or with changes that it lacks, after which it is not in sync, ms. */
export const standbySilenceMs = 2_000;

/** Part of the right that stays after the longest action, so that a renewal may fail once, ms. */
const spareMs = 1_000;

/** Returns the times for a lease of `leaseMs`, which is at least 3 s. */
export function pairTimes(leaseMs: number): PairTimes {
  const marginMs = Math.max(1_000, leaseMs / 5);
  const renewalMs = leaseMs / 4.5;
  return {
    leaseMs,
    marginMs,
    renewalMs,
    promiseMs: leaseMs,
    challengeMs: leaseMs + marginMs,
    readMs: Math.max(200, renewalMs / 4),
    readGapMs: Math.max(1_500, renewalMs),
    longestActionMs: Math.floor(leaseMs - renewalMs - spareMs),
  };
}
