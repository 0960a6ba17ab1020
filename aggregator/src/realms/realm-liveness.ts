import type { RowClaim } from "./row-evidence.ts";

/** Liveness of a realm: its heartbeats and newest stored message. Times are Unix ms of this process' clock. */
export type RealmLiveness = {
  /** Arrival of the last heartbeat; undefined when none has arrived. */
  readonly heartbeatAtMs: number | undefined;
  /** Arrival of the last heartbeat on the monotonic clock, ms; undefined when another process received it. */
  readonly heartbeatMonotonicMs: number | undefined;
  /** Time at which the realm's newest stream message was stored. */
  readonly storedAtMs: number | undefined;
  /** The realm's clock minus this process' clock at the last heartbeat, ms. */
  readonly clockSkewMs: number | undefined;
  /** Instance, epoch and revision of the last heartbeat. */
  readonly instance: string;
  readonly epoch: number;
  readonly revision: number;
};

export const neverSeenLiveness: RealmLiveness = {
  heartbeatAtMs: undefined,
  heartbeatMonotonicMs: undefined,
  storedAtMs: undefined,
  clockSkewMs: undefined,
  instance: "",
  epoch: 0,
  revision: 0,
};

/** Heartbeat as received. `sentAtMs` is the time on the realm's clock, Unix ms. */
export type Heartbeat = {
  readonly realm: string;
  readonly instance: string;
  readonly epoch: number;
  readonly revision: number;
  readonly sentAtMs: number | undefined;
  readonly version: string;
  /** Instance of the agent before its last start; empty when unknown. */
  readonly previousInstance: string;
  /** Sequence of the newest history record. */
  readonly eventSeq: number;
  /** The realm's account of its rows; undefined from an agent that sends none. */
  readonly claim: RowClaim | undefined;
  /** Reason why rows are not stored, as the agent knows it; empty when they are. */
  readonly error: string;
};

/** Wall clock and monotonic clock, read at the same moment. */
export type ClockReadings = { readonly nowMs: number; readonly monotonicMs: number };

/** Liveness after a heartbeat. */
export function livenessAfterHeartbeat(
  liveness: RealmLiveness,
  heartbeat: Heartbeat,
  { nowMs, monotonicMs }: ClockReadings,
): RealmLiveness {
  return {
    ...liveness,
    heartbeatAtMs: nowMs,
    heartbeatMonotonicMs: monotonicMs,
    clockSkewMs: heartbeat.sentAtMs === undefined ? undefined : heartbeat.sentAtMs - nowMs,
    instance: heartbeat.instance,
    epoch: heartbeat.epoch,
    revision: heartbeat.revision,
  };
}

/** Merges liveness that another process, or this one before its restart, stored: the later heartbeat wins. */
export function mergeLiveness(
  liveness: RealmLiveness,
  stored: Omit<RealmLiveness, "heartbeatMonotonicMs">,
): RealmLiveness {
  const storedAtMs = later(liveness.storedAtMs, stored.storedAtMs);
  if ((stored.heartbeatAtMs ?? -1) <= (liveness.heartbeatAtMs ?? -1)) return { ...liveness, storedAtMs };
  // A heartbeat received by this process wins, because the other process' clock may be ahead.
  if (liveness.heartbeatMonotonicMs !== undefined) return { ...liveness, storedAtMs };
  return { ...stored, heartbeatMonotonicMs: undefined, storedAtMs };
}

/**
 * True when a heartbeat arrived within `unreachableAfterMs`. Neither an open connection nor a stored message counts.
 */
export function isReachable(
  liveness: RealmLiveness,
  unreachableAfterMs: number,
  { nowMs, monotonicMs }: ClockReadings,
): boolean {
  if (liveness.heartbeatMonotonicMs !== undefined)
    return monotonicMs - liveness.heartbeatMonotonicMs <= unreachableAfterMs;
  return liveness.heartbeatAtMs !== undefined && nowMs - liveness.heartbeatAtMs <= unreachableAfterMs;
}

/** Time until `isReachable` turns false without a further heartbeat, ms; undefined when it is false already. */
export function reachableForMs(
  liveness: RealmLiveness,
  unreachableAfterMs: number,
  readings: ClockReadings,
): number | undefined {
  if (!isReachable(liveness, unreachableAfterMs, readings)) return undefined;
  const arrivedMs =
    liveness.heartbeatMonotonicMs ?? readings.monotonicMs - (readings.nowMs - (liveness.heartbeatAtMs ?? 0));
  return arrivedMs + unreachableAfterMs - readings.monotonicMs + 1;
}

/** `last_seen`: time of the last heartbeat, or of the newest stored message when there was none; Unix ms. */
export const lastSeenAtMs = (liveness: RealmLiveness): number | undefined =>
  liveness.heartbeatAtMs ?? liveness.storedAtMs;

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);
