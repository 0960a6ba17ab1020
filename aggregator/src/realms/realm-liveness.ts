/** What is known of a realm's life. Instants are Unix ms of our clock, unless said otherwise. */
export type RealmLiveness = {
  /** When the last heartbeat arrived. */
  readonly heartbeatAtMs: number | undefined;
  /** The same on the monotonic clock, which no correction of the wall clock moves; undefined where another process heard it. */
  readonly heartbeatMonotonicMs: number | undefined;
  /** When the newest message that the realm left in a stream was stored. */
  readonly storedAtMs: number | undefined;
  /** The realm's clock less ours at the last heartbeat. */
  readonly clockSkewMs: number | undefined;
  /** Of the last heartbeat. */
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

/** A heartbeat as it arrived. `sentAtMs` is the realm's own clock. */
export type Heartbeat = {
  readonly realm: string;
  readonly instance: string;
  readonly epoch: number;
  readonly revision: number;
  readonly sentAtMs: number | undefined;
};

/** Two readings of one moment. */
export type ClockReadings = { readonly nowMs: number; readonly monotonicMs: number };

/** The sighting after a heartbeat. */
export function livenessAfterHeartbeat(sighting: RealmLiveness, heartbeat: Heartbeat, { nowMs, monotonicMs }: ClockReadings): RealmLiveness {
  return {
    ...sighting,
    heartbeatAtMs: nowMs,
    heartbeatMonotonicMs: monotonicMs,
    clockSkewMs: heartbeat.sentAtMs === undefined ? undefined : heartbeat.sentAtMs - nowMs,
    instance: heartbeat.instance,
    epoch: heartbeat.epoch,
    revision: heartbeat.revision,
  };
}

/** The sighting after another process, or we before our restart, told what it knew: the later of the two. */
export function mergeLiveness(sighting: RealmLiveness, told: Omit<RealmLiveness, "heartbeatMonotonicMs">): RealmLiveness {
  const storedAtMs = later(sighting.storedAtMs, told.storedAtMs);
  if ((told.heartbeatAtMs ?? -1) <= (sighting.heartbeatAtMs ?? -1)) return { ...sighting, storedAtMs };
  // What we heard ourselves stands: the other process' clock may be ahead of ours.
  if (sighting.heartbeatMonotonicMs !== undefined) return { ...sighting, storedAtMs };
  return { ...told, heartbeatMonotonicMs: undefined, storedAtMs };
}

/**
 * Whether the realm lives: a heartbeat arrived within `unreachableAfterMs`. Nothing else counts, neither an
 * open connection nor a stored message.
 */
export function isReachable(sighting: RealmLiveness, unreachableAfterMs: number, { nowMs, monotonicMs }: ClockReadings): boolean {
  if (sighting.heartbeatMonotonicMs !== undefined)
    return monotonicMs - sighting.heartbeatMonotonicMs <= unreachableAfterMs;
  return sighting.heartbeatAtMs !== undefined && nowMs - sighting.heartbeatAtMs <= unreachableAfterMs;
}

/** How long until `isReachable` turns false if nothing is heard, ms; undefined where it is false already. */
export function reachableForMs(sighting: RealmLiveness, unreachableAfterMs: number, moment: ClockReadings): number | undefined {
  if (!isReachable(sighting, unreachableAfterMs, moment)) return undefined;
  const heardMs = sighting.heartbeatMonotonicMs ?? moment.monotonicMs - (moment.nowMs - (sighting.heartbeatAtMs ?? 0));
  return heardMs + unreachableAfterMs - moment.monotonicMs + 1;
}

/** `last_seen`: the last heartbeat, or the newest stored message where none was ever heard; Unix ms. */
export const lastSeenAtMs = (sighting: RealmLiveness): number | undefined => sighting.heartbeatAtMs ?? sighting.storedAtMs;

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);
