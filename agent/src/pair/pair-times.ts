/** Times of a pair that follow from `-pair-lease`, ms. Both members have the same. */
export type PairTimes = {
  /** Time for which a written lease gives its member the right to act, counted from before it was sent. */
  readonly leaseMs: number;
  /** Time by which clocks of both members may differ over a lease. */
  readonly marginMs: number;
  /** Interval at which the active member writes its lease again. */
  readonly renewalMs: number;
  /** Time for which the standby promises not to become active. */
  readonly promiseMs: number;
  /** Time for which a lease has to stand unchanged before another member may replace it. */
  readonly challengeMs: number;
  /** Maximum timeout of one delivery, handler or batch of a sink. */
  readonly longestActionMs: number;
};

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
    longestActionMs: Math.floor(leaseMs - renewalMs - spareMs),
  };
}
