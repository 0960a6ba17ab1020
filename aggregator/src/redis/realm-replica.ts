import type { Clock } from "@realmwatch/shared/model/clock";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { RowChange } from "@realmwatch/shared/row/row";
import type { VersionedCatalogPart } from "../realms/held-catalog.ts";
import type { ClockReadings, StoredLiveness } from "../realms/realm-liveness.ts";
import type { CentreRedis } from "./ownership/centre-redis.ts";
import { type ChangePage, parseChangePage } from "./redis-change-page.ts";
import { decodeCatalogPart, type StoredObject } from "./redis-codec.ts";
import { realmKeys } from "./redis-keys.ts";
import { readChanges } from "./redis-scripts.ts";

/** Read model in memory that the replica writes to. */
export type ReplicaTarget = {
  apply(changes: readonly RowChange[]): void;
  applyCatalogParts(realm: string, parts: readonly VersionedCatalogPart[]): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
  forgetRealm(realm: string): void;
};

/** State of a realm in the replica. */
export type ReplicaState =
  /** Not read yet. */
  | "unread"
  /** Absent or incomplete in Redis: a rebuild is needed. */
  | "missing"
  /** All data in Redis is in memory too. */
  | "loaded";

/** Damage of a realm's data in Redis: values that were overwritten, or keys that were evicted. */
export type StoredDamage =
  | { readonly kind: "objects"; readonly objects: readonly StoredObject[]; readonly generation: string }
  | { readonly kind: "catalog"; readonly version: string }
  | { readonly kind: "history" }
  /** More than single values. An empty generation stands for any. */
  | { readonly kind: "realm"; readonly generation: string; readonly why: string };

/** Source and target of the reads of realms. */
export type RealmReading = {
  readonly redis: CentreRedis;
  readonly target: ReplicaTarget;
  readonly clock: Clock;
  /** Called with the stored liveness of a realm at each read, and the clocks as of its request. */
  readonly onLiveness: (realm: string, stored: StoredLiveness, readings: ClockReadings) => void;
  /** Called when realms are missing or complete again. */
  readonly onStateChange: () => void;
  /** Called when Redis has lost confirmed writes; the realm counts as missing until it is rebuilt. */
  readonly onLoss: (realm: string) => void;
  /** Called when stored data of a realm cannot be read or is incomplete. */
  readonly onDamage: (realm: string, damage: StoredDamage) => void;
};

const objectsPerRead = 500;
/** Time for which the numbers of rows in Redis and in memory may differ before the realm counts as damaged, ms. */
const mismatchForMs = 5_000;

/** Replica of one realm. */
export type RealmReplica = {
  readonly realm: string;
  state: ReplicaState;
  wasLoaded: boolean;
  generation: string;
  /** Generation that has lost writes and is no longer used. */
  lostGeneration: string;
  history: boolean;
  /** Change number up to which everything was read. */
  since: number;
  floor: number;
  /** Greatest floor that the target knows. */
  targetFloor: number;
  catalogVersion: string;
  /** Versions of all rows passed to the target, by reference. */
  readonly known: Map<string, string>;
  /** References not seen yet while everything is read again; undefined otherwise. */
  unconfirmed: Set<string> | undefined;
  reading: Promise<void> | undefined;
  again: boolean;
  /** Monotonic time of the last read that a message triggered, ms. */
  triggeredAtMs: number;
  /** True while the next such read is waited for. */
  isTriggered: boolean;
  /** Monotonic time of the last read that found an object changed more than once since the read before, ms. */
  skippedAtMs: number;
  error: string;
  failures: number;
  /** Monotonic time before which polls skip the realm, ms. */
  retryAtMs: number;
  /** Monotonic time since which Redis and memory have different numbers of rows, ms; undefined when they have not. */
  mismatchSinceMs: number | undefined;
};

export const newRealmReplica = (realm: string): RealmReplica => ({
  realm,
  state: "unread",
  wasLoaded: false,
  generation: "",
  lostGeneration: "",
  history: false,
  since: 0,
  floor: 0,
  targetFloor: 0,
  catalogVersion: "",
  known: new Map(),
  unconfirmed: undefined,
  reading: undefined,
  again: false,
  triggeredAtMs: Number.NEGATIVE_INFINITY,
  isTriggered: false,
  skippedAtMs: Number.NEGATIVE_INFINITY,
  error: "",
  failures: 0,
  retryAtMs: 0,
  mismatchSinceMs: undefined,
});

/** Reads everything that has changed in Redis since the last read. Rejects when that cannot be read. */
export async function catchUp(replica: RealmReplica, options: RealmReading): Promise<void> {
  const { redis, clock, target, onLiveness, onStateChange, onLoss } = options;
  const { realm } = replica;
  const { rows, versions, changes, meta, history } = realmKeys(redis.centre, realm);
  for (;;) {
    const readings = { nowMs: clock.now(), monotonicMs: clock.monotonic() };
    const reply = await redis.run(
      readChanges,
      [rows, versions, changes, meta, history],
      [replica.since, objectsPerRead, replica.lostGeneration],
    );
    const page = parseChangePage(realm, reply, readings);
    if (page.generation !== "" && page.generation === replica.generation && page.counter < replica.since) {
      replica.lostGeneration = page.generation;
      onLoss(realm);
    }
    onLiveness(realm, page.liveness, readings);
    if (page.generation === "" || page.generation === replica.lostGeneration)
      return markMissing(replica, onStateChange);
    const hasMissedRemovals = replica.since > 0 && page.pruned > replica.since;
    if (page.generation !== replica.generation || hasMissedRemovals) {
      const readBefore = replica.since > 0;
      startOver(replica, page.generation);
      if (page.floor < replica.targetFloor) forget(replica, target);
      if (readBefore) continue;
    }
    // Each change has a number, and an object only that of its last change.
    if (replica.since > 0 && page.reached - replica.since > page.objects) replica.skippedAtMs = clock.monotonic();
    applyPage(replica, page, target);
    if (page.unreadable.length > 0)
      options.onDamage(realm, { kind: "objects", objects: page.unreadable, generation: page.generation });
    replica.history = page.historyGeneration === page.generation;
    await applyCatalog(replica, page.catalogVersion, options);
    if (page.objects >= objectsPerRead) continue;
    finishReading(replica, options);
    return compareNumbers(replica, page, options);
  }
}

/**
 * Compares the numbers of what Redis and memory hold after all changes were read: a difference that lasts shows that keys
 * were evicted or deleted.
 */
function compareNumbers(replica: RealmReplica, page: ChangePage, { clock, onDamage }: RealmReading): void {
  const { realm, known } = replica;
  const why = damageOf(page, known.size);
  if (why === undefined) {
    replica.mismatchSinceMs = undefined;
    return;
  }
  replica.mismatchSinceMs ??= clock.monotonic();
  if (clock.monotonic() - replica.mismatchSinceMs < mismatchForMs) return;
  replica.mismatchSinceMs = undefined;
  onDamage(realm, { kind: "realm", generation: page.generation, why });
}

function damageOf({ rowCount, versionCount, changeCount, lostHistory }: ChangePage, rows: number): string | undefined {
  if (rowCount !== rows) return `${rowCount} rows are stored, ${rows} are known`;
  if (versionCount !== changeCount) return `${versionCount} versions and ${changeCount} entries of the change index`;
  return lostHistory ? "the history is gone" : undefined;
}

function markMissing(replica: RealmReplica, onStateChange: () => void): void {
  const before = replica.state;
  const reset = { generation: "", history: false, since: 0, mismatchSinceMs: undefined };
  Object.assign(replica, { state: "missing", ...reset });
  if (before !== "missing") onStateChange();
}

/** [FD92] Forgets a realm that was forgotten in Redis, where it may begin again with any epoch. */
function forget(replica: RealmReplica, target: ReplicaTarget): void {
  replica.known.clear();
  replica.unconfirmed?.clear();
  replica.targetFloor = 0;
  target.forgetRealm(replica.realm);
}

/** Has the next read read everything again. */
export function startOver(replica: RealmReplica, generation: string): void {
  Object.assign(replica, {
    generation,
    since: 0,
    floor: 0,
    catalogVersion: "",
    unconfirmed: new Set(replica.known.keys()),
  });
}

function applyPage(replica: RealmReplica, page: ChangePage, target: ReplicaTarget): void {
  for (const { ref, version, json } of page.stored) {
    if (json === "") replica.known.delete(ref);
    else replica.known.set(ref, version);
    replica.unconfirmed?.delete(ref);
  }
  for (const { ref } of page.unreadable) replica.unconfirmed?.delete(ref);
  if (page.changes.length > 0) target.apply(page.changes);
  replica.since = page.reached;
  if (page.floor <= replica.floor) return;
  replica.floor = page.floor;
  replica.targetFloor = Math.max(replica.targetFloor, page.floor);
  target.dropRealmRowsBelow(replica.realm, page.floor);
  for (const [ref, version] of replica.known) if (Number.parseInt(version, 10) < page.floor) replica.known.delete(ref);
}

async function applyCatalog(replica: RealmReplica, version: string, options: RealmReading): Promise<void> {
  const { redis, target, onDamage } = options;
  if (version === "" || version === replica.catalogVersion) return;
  const stored = Object.entries(await redis.client.hgetall(realmKeys(redis.centre, replica.realm).catalog));
  const parts = stored.flatMap(([field, value]) => decodeCatalogPart({ field, value }) ?? []);
  target.applyCatalogParts(replica.realm, parts);
  if (parts.length < Math.max(1, stored.length)) onDamage(replica.realm, { kind: "catalog", version });
  replica.catalogVersion = version;
}

/** Ends a full read: objects that were not seen are removed. */
function finishReading(replica: RealmReplica, { target, onStateChange }: RealmReading): void {
  if (replica.unconfirmed && replica.unconfirmed.size > 0) target.apply(removalsOf(replica, replica.unconfirmed));
  replica.unconfirmed = undefined;
  if (replica.state === "loaded") return;
  replica.state = "loaded";
  replica.wasLoaded = true;
  onStateChange();
}

/** Removals of objects at their known version, so that any later version supersedes them. */
function removalsOf(replica: RealmReplica, refs: Iterable<string>): RowChange[] {
  return [...refs].flatMap((ref): RowChange[] => {
    const [epoch = 0, revision = 0] = (replica.known.get(ref) ?? "").split(" ").map(Number);
    replica.known.delete(ref);
    return [{ kind: "drop", realm: replica.realm, key: keyOf(ref), epoch, revision }];
  });
}
