/** Number of heartbeats of one realm that are read a second. An agent sends one every five seconds. */
const heartbeatsPerSecond = 10;

/** Heartbeats of one realm that may be read before the next second, as of a monotonic time, ms. */
export type HeartbeatBudget = { readonly left: number; readonly atMs: number };

export const fullHeartbeatBudget = (nowMs: number): HeartbeatBudget => ({ left: heartbeatsPerSecond, atMs: nowMs });

/** [FD97] Budget after one heartbeat; undefined when the heartbeat is above it and has to be dropped. */
export function heartbeatBudgetAfter({ left, atMs }: HeartbeatBudget, nowMs: number): HeartbeatBudget | undefined {
  const now = Math.min(heartbeatsPerSecond, left + ((nowMs - atMs) / 1_000) * heartbeatsPerSecond);
  return now < 1 ? undefined : { left: now - 1, atMs: nowMs };
}
