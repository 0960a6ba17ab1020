/** Delay of the heartbeats of one agent, from the times at which they were sent and received. */
export type HeartbeatDelay = {
  /** Smallest difference of receiver's and sender's clock so far, ms; undefined before the first heartbeat. */
  readonly offsetMs: number | undefined;
  /** Delay of the last heartbeat, ms. */
  readonly delayMs: number;
  /** Time at which it was received, ms. */
  readonly receivedMs: number;
};

export const noHeartbeatDelay: HeartbeatDelay = { offsetMs: undefined, delayMs: 0, receivedMs: 0 };

/** Shortest time between two heartbeats that were not held back, ms. */
const apartMs = 1_000;
/** Difference of the delays of two heartbeats that is an inaccuracy, ms. */
const inaccuracyMs = 1_000;

/**
 * Delay after a heartbeat. Heartbeats that a broken link held back arrive together, with different delays. Two with the
 * same delay that arrive apart were not held back: the sender's clock was set back.
 *
 * @param sentMs time on the sender's clock; undefined when unknown
 * @param receivedMs time on the receiver's monotonic clock
 */
export function delayAfterHeartbeat(
  before: HeartbeatDelay,
  { sentMs, receivedMs }: { readonly sentMs: number | undefined; readonly receivedMs: number },
): HeartbeatDelay {
  if (sentMs === undefined) return { ...before, delayMs: 0, receivedMs };
  const offsetMs = receivedMs - sentMs;
  const delayMs = Math.max(0, offsetMs - (before.offsetMs ?? offsetMs));
  const isApart = receivedMs - before.receivedMs >= apartMs;
  const isClockSet = isApart && Math.abs(delayMs - before.delayMs) < inaccuracyMs;
  if (isClockSet) return { offsetMs, delayMs: 0, receivedMs };
  return { offsetMs: Math.min(offsetMs, before.offsetMs ?? offsetMs), delayMs, receivedMs };
}
