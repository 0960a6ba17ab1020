/** Delay of the heartbeats of one agent, from the times at which they were sent and received. */
type HeartbeatDelay = {
  /** Receiver's clock minus each clock of the sender, for a heartbeat without delay; undefined before the first one. */
  readonly offsets: ClockOffsets | undefined;
  /** Delay of the last heartbeat, ms. */
  readonly delayMs: number;
  /** Time at which it was received, ms. */
  readonly receivedMs: number;
};

type ClockOffsets = { readonly wallMs: number; readonly uptimeMs: number };

/** Times of a heartbeat, ms; those of the sender are undefined when unknown. */
type HeartbeatTimes = {
  /** Time on the sender's wall clock. */
  readonly sentMs: number | undefined;
  /** Time on the sender's monotonic clock. */
  readonly uptimeMs: number | undefined;
  /** Time on the receiver's monotonic clock. */
  readonly receivedMs: number;
};

export const noHeartbeatDelay: HeartbeatDelay = { offsets: undefined, delayMs: 0, receivedMs: 0 };

/** Greatest difference of the speeds of two clocks that is not a delay. */
const maxDrift = 1e-4;

/**
 * Delay after a heartbeat: by how much it arrived later than the one with the least delay, on the sender's clock that
 * shows less. A wall clock that is set back and a monotonic clock that stands still while its machine is suspended look
 * like a delay, each on one clock alone. Without both clocks the delay is unknown, and 0.
 */
export function delayAfterHeartbeat(before: HeartbeatDelay, times: HeartbeatTimes): HeartbeatDelay {
  const { sentMs, uptimeMs, receivedMs } = times;
  if (sentMs === undefined || uptimeMs === undefined) return { ...before, delayMs: 0, receivedMs };
  const now = { wallMs: receivedMs - sentMs, uptimeMs: receivedMs - uptimeMs };
  const least = before.offsets ?? now;
  const laterMs = Math.min(now.wallMs - least.wallMs, now.uptimeMs - least.uptimeMs);
  const delayMs = Math.max(0, laterMs - (receivedMs - before.receivedMs) * maxDrift);
  return { offsets: { wallMs: now.wallMs - delayMs, uptimeMs: now.uptimeMs - delayMs }, delayMs, receivedMs };
}
