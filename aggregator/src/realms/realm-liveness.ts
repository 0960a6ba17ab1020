import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { Unpublished } from "@realmwatch/shared/wire/unpublished";
import type { RowClaim } from "./row-evidence.ts";

/** Sequences of a history record and of an accepted command of a realm; 0 for none. */
export type SeenSequences = { readonly history: number; readonly command: number };

/** Liveness of a realm: its heartbeats and newest stored message. Times are Unix ms of this process' clock. */
export type RealmLiveness = {
  /** Arrival of the last heartbeat; undefined when none has arrived. */
  readonly heartbeatAtMs: number | undefined;
  /** Arrival of the last heartbeat on the monotonic clock, ms; undefined when none has arrived. */
  readonly heartbeatMonotonicMs: number | undefined;
  /** True when this process received the last heartbeat; false when another one did and stored it. */
  readonly isReceivedHere: boolean;
  /** Time at which the realm's newest stream message was stored. */
  readonly storedAtMs: number | undefined;
  /** The realm's clock minus this process' clock at the last heartbeat, ms. */
  readonly clockSkewMs: number | undefined;
  /** Greatest sequences of a history record and a command in any heartbeat, also of those before a data directory was lost. */
  readonly seen: SeenSequences;
  /** Instance, epoch and revision of the last heartbeat. */
  readonly instance: string;
  readonly epoch: number;
  readonly revision: number;
};

export const neverSeenLiveness: RealmLiveness = {
  heartbeatAtMs: undefined,
  heartbeatMonotonicMs: undefined,
  isReceivedHere: false,
  storedAtMs: undefined,
  clockSkewMs: undefined,
  seen: { history: 0, command: 0 },
  instance: "",
  epoch: 0,
  revision: 0,
};

/** Heartbeat as received. */
export type Heartbeat = {
  readonly realm: string;
  readonly instance: string;
  readonly epoch: number;
  readonly revision: number;
  /** Time on the agent's wall clock, Unix ms. */
  readonly sentAtMs: number | undefined;
  /** Time since the start of the agent's process on its monotonic clock, ms; undefined when unknown. */
  readonly uptimeMs: number | undefined;
  readonly version: string;
  /** Instance of the agent before its last start; empty when unknown. */
  readonly previousInstance: string;
  /** Last heartbeat of this instance, whose process stops. */
  readonly isLeaving: boolean;
  /** Sequences of the newest history record and command. */
  readonly newest: SeenSequences;
  /** Records that are lost because the agent started on an older copy of its data; empty for none. */
  readonly restoredCopy: string;
  /** Sequence of the oldest history record that the agent has; 0 when unknown. */
  readonly firstEventSeq: number;
  /** The realm's account of its rows that NATS has stored; undefined from an agent that sends none. */
  readonly claim: RowClaim | undefined;
  /** The realm's account of the parts of its catalog; undefined from an agent that sends none. */
  readonly catalog: RowClaim | undefined;
  /** Number of objects that the realm has. */
  readonly objects: number;
  /** Rows, catalog parts and history records of the realm that NATS does not store. */
  readonly unpublished: readonly Unpublished[];
  /** Age of the oldest change of a row that NATS should have stored and has not, ms; 0 for none. */
  readonly unstoredMs: number;
  /** Reason why rows are not stored, as the agent knows it; empty when they are. */
  readonly error: string;
  /** Pair of agents that serves the realm; absent without one. */
  readonly pair?: PairStatus | undefined;
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
    isReceivedHere: true,
    clockSkewMs: heartbeat.sentAtMs === undefined ? undefined : heartbeat.sentAtMs - nowMs,
    seen: greatest(liveness.seen, heartbeat.newest),
    instance: heartbeat.instance,
    epoch: heartbeat.epoch,
    revision: heartbeat.revision,
  };
}

/** Liveness as another process, or this one before its restart, stored it. */
export type StoredLiveness = Pick<
  RealmLiveness,
  "storedAtMs" | "clockSkewMs" | "seen" | "instance" | "epoch" | "revision"
> & {
  /** Time since the last heartbeat by the clock of the store, ms; undefined when none is stored. */
  readonly heartbeatAgeMs: number | undefined;
};

/**
 * [FD8] Merges stored liveness: the later heartbeat wins. It is judged by its age, because the wall clocks of processes
 * differ. A heartbeat that this process received wins, because only it proves that this process hears the realm.
 */
export function mergeLiveness(
  liveness: RealmLiveness,
  { heartbeatAgeMs, ...stored }: StoredLiveness,
  { nowMs, monotonicMs }: ClockReadings,
): RealmLiveness {
  const storedAtMs = later(liveness.storedAtMs, stored.storedAtMs);
  const seen = greatest(liveness.seen, stored.seen);
  const merged = { ...liveness, storedAtMs, seen };
  if (heartbeatAgeMs === undefined || liveness.isReceivedHere) return merged;
  const heartbeatMonotonicMs = monotonicMs - heartbeatAgeMs;
  if (heartbeatMonotonicMs <= (liveness.heartbeatMonotonicMs ?? Number.NEGATIVE_INFINITY)) return merged;
  return {
    ...stored,
    storedAtMs,
    seen,
    heartbeatAtMs: nowMs - heartbeatAgeMs,
    heartbeatMonotonicMs,
    isReceivedHere: false,
  };
}

/**
 * True when a heartbeat arrived within `unreachableAfterMs`. Neither an open connection nor a stored message counts.
 */
export const isReachable = (
  { heartbeatMonotonicMs }: RealmLiveness,
  unreachableAfterMs: number,
  { monotonicMs }: Pick<ClockReadings, "monotonicMs">,
): boolean => heartbeatMonotonicMs !== undefined && monotonicMs - heartbeatMonotonicMs <= unreachableAfterMs;

/** Time until `isReachable` turns false without a further heartbeat, ms; undefined when it is false already. */
export function reachableForMs(
  liveness: RealmLiveness,
  unreachableAfterMs: number,
  readings: Pick<ClockReadings, "monotonicMs">,
): number | undefined {
  if (!isReachable(liveness, unreachableAfterMs, readings)) return undefined;
  return (liveness.heartbeatMonotonicMs ?? 0) + unreachableAfterMs - readings.monotonicMs + 1;
}

/** `last_seen`: time of the last heartbeat, or of the newest stored message when there was none; Unix ms. */
export const lastSeenAtMs = (liveness: RealmLiveness): number | undefined =>
  liveness.heartbeatAtMs ?? liveness.storedAtMs;

/** The greater one of each of two sequences. */
export const greatest = (a: SeenSequences, b: SeenSequences): SeenSequences => ({
  history: Math.max(a.history, b.history),
  command: Math.max(a.command, b.command),
});

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);
