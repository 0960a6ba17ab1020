import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RealmLiveness } from "../realms/realm-liveness.ts";
import { decodeCatalog, decodeObject } from "./redis-codec.ts";
import type { RedisConnection, RedisReply } from "./redis-connection.ts";
import { changedChannel, realmKeys } from "./redis-keys.ts";
import { readChanges } from "./redis-scripts.ts";

/** Read model in memory that the replica writes to. */
export type ReplicaTarget = {
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
};

/** State of a realm in the replica. */
export type ReplicaState =
  /** Not read yet. */
  | "unread"
  /** Absent or incomplete in Redis: a rebuild is needed. */
  | "missing"
  /** All data in Redis is in memory too. */
  | "loaded";

export type RedisReplica = {
  state(realm: string): ReplicaState;
  /** True once all rows of the realm were in memory; they stay there while Redis is away or is rebuilt. */
  wasLoaded(realm: string): boolean;
  /** True when the history of a realm is complete. */
  hasHistory(realm: string): boolean;
  /** Reads changes now. Resolves when they are in memory; errors are retried at the next poll. */
  refresh(): Promise<void>;
  close(): void;
};

export type ReplicaOptions = {
  readonly realms: readonly string[];
  readonly redis: RedisConnection;
  readonly target: ReplicaTarget;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Called with the stored liveness of a realm at each read. */
  readonly onLiveness: (realm: string, stored: Omit<RealmLiveness, "heartbeatMonotonicMs">) => void;
  /** Called when realms are missing or complete again. */
  readonly onStateChange: () => void;
  /** Called when Redis has lost confirmed writes; the realm counts as missing until it is rebuilt. */
  readonly onLoss: (realm: string) => void;
};

/** Poll interval, ms: the delay after a lost pub/sub message. */
const pollEveryMs = 1_000;
const objectsPerRead = 500;

type RealmReplica = {
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
  catalogVersion: string;
  /** Versions of all objects passed to the target, by reference. */
  readonly known: Map<string, string>;
  /** References not seen yet while everything is read again; undefined otherwise. */
  unconfirmed: Set<string> | undefined;
  reading: Promise<void> | undefined;
  again: boolean;
};

/** Opens a replica of Redis in memory. Pub/sub messages trigger reads; a slow poll covers lost messages. */
export function openRedisReplica(options: ReplicaOptions): RedisReplica {
  const { redis, clock, log } = options;
  const replicas = new Map(options.realms.map((realm) => [realm, newRealmReplica(realm)]));
  let closed = false;

  /** Reads until there is no change. One read of a realm at a time; a message during a read triggers another one. */
  function read(replica: RealmReplica): Promise<void> {
    if (replica.reading) {
      replica.again = true;
      return replica.reading;
    }
    replica.reading = (async () => {
      do {
        replica.again = false;
        await catchUp(replica, options);
      } while (replica.again && !closed);
    })()
      .catch((error: Error) => {
        if (redis.unavailableReason() === "")
          log.warn({ realm: replica.realm, why: error.message }, "Redis: a realm cannot be read");
      })
      .finally(() => (replica.reading = undefined));
    return replica.reading;
  }
  const readAll = async (): Promise<void> => {
    if (redis.unavailableReason() === "" && !closed) await Promise.all([...replicas.values()].map(read));
  };

  redis.subscribe(changedChannel, (realm) => {
    const replica = replicas.get(realm);
    if (replica && !closed) void read(replica);
  });
  redis.onUp(() => void readAll());
  let cancel = clock.after(pollEveryMs, function poll() {
    void readAll();
    cancel = clock.after(pollEveryMs, poll);
  });

  return {
    wasLoaded: (realm) => replicas.get(realm)?.wasLoaded ?? false,
    state: (realm) => replicas.get(realm)?.state ?? "unread",
    hasHistory: (realm) => replicas.get(realm)?.history ?? false,
    refresh: readAll,
    close() {
      closed = true;
      cancel();
    },
  };
}

const newRealmReplica = (realm: string): RealmReplica => ({
  realm,
  state: "unread",
  wasLoaded: false,
  generation: "",
  lostGeneration: "",
  history: false,
  since: 0,
  floor: 0,
  catalogVersion: "",
  known: new Map(),
  unconfirmed: undefined,
  reading: undefined,
  again: false,
});

async function catchUp(replica: RealmReplica, options: ReplicaOptions): Promise<void> {
  const { redis, target, onLiveness, onStateChange, onLoss } = options;
  const { rows, versions, changes, meta } = realmKeys(replica.realm);
  for (;;) {
    const reply = await redis.run(readChanges, [rows, versions, changes, meta], [replica.since, objectsPerRead]);
    const page = parseChangePage(replica.realm, reply);
    if (page.generation !== "" && page.generation === replica.generation && page.counter < replica.since) {
      replica.lostGeneration = page.generation;
      onLoss(replica.realm);
    }
    if (page.generation === "" || page.generation === replica.lostGeneration)
      return markMissing(replica, onStateChange);
    if (page.generation !== replica.generation) {
      const readBefore = replica.since > 0;
      startOver(replica, page.generation);
      if (readBefore) continue;
    }
    applyPage(replica, page, target);
    onLiveness(replica.realm, page.liveness);
    replica.history = page.historyGeneration === page.generation;
    await applyCatalog(replica, page.catalogVersion, options);
    if (page.objects >= objectsPerRead) continue;
    return finishReading(replica, options);
  }
}

function markMissing(replica: RealmReplica, onStateChange: () => void): void {
  const before = replica.state;
  Object.assign(replica, { state: "missing", generation: "", history: false, since: 0 });
  if (before !== "missing") onStateChange();
}

function startOver(replica: RealmReplica, generation: string): void {
  Object.assign(replica, {
    generation,
    since: 0,
    floor: 0,
    catalogVersion: "",
    unconfirmed: new Set(replica.known.keys()),
  });
}

function applyPage(replica: RealmReplica, page: ChangePage, target: ReplicaTarget): void {
  for (const { ref, version } of page.versions) {
    replica.known.set(ref, version);
    replica.unconfirmed?.delete(ref);
  }
  if (page.changes.length > 0) target.apply(page.changes);
  replica.since = page.reached;
  if (page.floor <= replica.floor) return;
  replica.floor = page.floor;
  target.dropRealmRowsBelow(replica.realm, page.floor);
  for (const [ref, version] of replica.known) if (Number.parseInt(version, 10) < page.floor) replica.known.delete(ref);
}

async function applyCatalog(replica: RealmReplica, version: string, { redis, target }: ReplicaOptions): Promise<void> {
  if (version === "" || version === replica.catalogVersion) return;
  const json = await redis.client.hget(realmKeys(replica.realm).meta, "catalog");
  const catalog = json === null ? undefined : decodeCatalog(json);
  if (catalog) target.setCatalog(catalog);
  replica.catalogVersion = version;
}

/** Ends a full read: objects that were not seen are removed. */
function finishReading(replica: RealmReplica, { target, onStateChange }: ReplicaOptions): void {
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

type ChangePage = {
  readonly generation: string;
  readonly historyGeneration: string;
  readonly counter: number;
  readonly floor: number;
  readonly catalogVersion: string;
  readonly liveness: Omit<RealmLiveness, "heartbeatMonotonicMs">;
  readonly reached: number;
  readonly objects: number;
  readonly versions: readonly { readonly ref: string; readonly version: string }[];
  readonly changes: readonly RowChange[];
};

function parseChangePage(realm: string, reply: RedisReply): ChangePage {
  const fields = Array.isArray(reply) ? reply.map(String) : [];
  const [
    generation = "",
    counter,
    floor,
    catalogVersion = "",
    liveness = "",
    storedAt = "",
    historyGeneration = "",
    reached,
  ] = fields;
  const versions = [];
  const changes = [];
  for (let i = 8; i + 2 < fields.length; i += 3) {
    const stored = { ref: fields[i] ?? "", version: fields[i + 1] ?? "", json: fields[i + 2] ?? "" };
    const change = decodeObject(realm, stored);
    if (change === undefined) continue;
    versions.push(stored);
    changes.push(change);
  }
  return {
    generation,
    historyGeneration,
    counter: Number(counter || 0),
    floor: Number(floor || 0),
    catalogVersion,
    liveness: parseLiveness(liveness, storedAt),
    reached: Number(reached || 0),
    objects: (fields.length - 8) / 3,
    versions,
    changes,
  };
}

function parseLiveness(json: string, storedAt: string): Omit<RealmLiveness, "heartbeatMonotonicMs"> {
  const never = { heartbeatAtMs: undefined, clockSkewMs: undefined, instance: "", epoch: 0, revision: 0 };
  const stored = json === "" ? never : { ...never, ...(JSON.parse(json) as Partial<typeof never>) };
  return { ...stored, storedAtMs: storedAt === "" ? undefined : Number(storedAt) };
}
