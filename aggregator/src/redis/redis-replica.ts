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

/** What the mirror fills: a read model in memory. */
export type ReplicaTarget = {
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
};

/** What Redis says of a realm as a whole. */
export type ReplicaState =
  /** Nothing is known yet. */
  | "unread"
  /** Redis was emptied, or never filled: somebody has to rebuild. */
  | "missing"
  /** Everything that Redis has is in memory too. */
  | "loaded";

export type RedisReplica = {
  state(realm: string): ReplicaState;
  /** Whether the history of a realm is whole. */
  hasHistory(realm: string): boolean;
  /** Reads what changed, now. Resolves when it is in memory; failures are left to the next poll. */
  refresh(): Promise<void>;
  close(): void;
};

export type ReplicaOptions = {
  readonly realms: readonly string[];
  readonly redis: RedisConnection;
  readonly target: ReplicaTarget;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Called with what is kept of a realm's heartbeats, at each reading. */
  readonly onLiveness: (realm: string, told: Omit<RealmLiveness, "heartbeatMonotonicMs">) => void;
  /** Called where realms are missing or whole again. */
  readonly onStateChange: () => void;
  /** Called where Redis has lost writes that it had confirmed; the realm counts as missing until it is rebuilt. */
  readonly onLoss: (realm: string) => void;
};

/** A hint that got lost costs this much, ms. */
const pollEveryMs = 1_000;
const objectsPerRead = 500;

type RealmReplica = {
  readonly realm: string;
  state: ReplicaState;
  generation: string;
  /** The generation that lost writes, and cannot be trusted any more. */
  lostGeneration: string;
  history: boolean;
  /** The change count up to which everything was read. */
  since: number;
  floor: number;
  catalogVersion: string;
  /** Versions by reference, of everything that was handed on. */
  readonly known: Map<string, string>;
  /** While everything is read anew: what was handed on before and has not come up again. */
  unconfirmed: Set<string> | undefined;
  reading: Promise<void> | undefined;
  again: boolean;
};

/** Keeps a copy of what Redis holds in memory: a hint over pub/sub wakes it, a slow poll covers lost hints. */
export function openRedisReplica(options: ReplicaOptions): RedisReplica {
  const { redis, clock, log } = options;
  const replicas = new Map(options.realms.map((realm) => [realm, newRealmReplica(realm)]));
  let closed = false;

  /** Reads until nothing is new. One reading of a realm at a time; a hint during one asks for another. */
  function read(follower: RealmReplica): Promise<void> {
    if (follower.reading) {
      follower.again = true;
      return follower.reading;
    }
    follower.reading = (async () => {
      do {
        follower.again = false;
        await catchUp(follower, options);
      } while (follower.again && !closed);
    })()
      .catch((error: Error) => {
        if (redis.unavailableReason() === "") log.warn({ realm: follower.realm, why: error.message }, "Redis: cannot be read");
      })
      .finally(() => (follower.reading = undefined));
    return follower.reading;
  }
  const readAll = async (): Promise<void> => {
    if (redis.unavailableReason() === "" && !closed) await Promise.all([...replicas.values()].map(read));
  };

  redis.subscribe(changedChannel, (realm) => {
    const follower = replicas.get(realm);
    if (follower && !closed) void read(follower);
  });
  redis.onUp(() => void readAll());
  let cancel = clock.after(pollEveryMs, function poll() {
    void readAll();
    cancel = clock.after(pollEveryMs, poll);
  });

  return {
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

async function catchUp(follower: RealmReplica, options: ReplicaOptions): Promise<void> {
  const { redis, target, onLiveness, onStateChange, onLoss } = options;
  const { rows, versions, changes, meta } = realmKeys(follower.realm);
  for (;;) {
    const reply = await redis.run(readChanges, [rows, versions, changes, meta], [follower.since, objectsPerRead]);
    const page = parseChangePage(follower.realm, reply);
    if (page.generation !== "" && page.generation === follower.generation && page.counter < follower.since) {
      follower.lostGeneration = page.generation;
      onLoss(follower.realm);
    }
    if (page.generation === "" || page.generation === follower.lostGeneration) return markMissing(follower, onStateChange);
    if (page.generation !== follower.generation) {
      const readBefore = follower.since > 0;
      startOver(follower, page.generation);
      if (readBefore) continue;
    }
    applyPage(follower, page, target);
    onLiveness(follower.realm, page.liveness);
    follower.history = page.historyGeneration === page.generation;
    await applyCatalog(follower, page.catalogVersion, options);
    if (page.objects >= objectsPerRead) continue;
    return finishReading(follower, options);
  }
}

function markMissing(follower: RealmReplica, onState: () => void): void {
  const before = follower.state;
  Object.assign(follower, { state: "missing", generation: "", history: false, since: 0 });
  if (before !== "missing") onState();
}

function startOver(follower: RealmReplica, generation: string): void {
  Object.assign(follower, {
    generation,
    since: 0,
    floor: 0,
    catalogVersion: "",
    unconfirmed: new Set(follower.known.keys()),
  });
}

function applyPage(follower: RealmReplica, page: ChangePage, target: ReplicaTarget): void {
  for (const { ref, version } of page.versions) {
    follower.known.set(ref, version);
    follower.unconfirmed?.delete(ref);
  }
  if (page.changes.length > 0) target.apply(page.changes);
  follower.since = page.reached;
  if (page.floor <= follower.floor) return;
  follower.floor = page.floor;
  target.dropRealmRowsBelow(follower.realm, page.floor);
  for (const [ref, version] of follower.known)
    if (Number.parseInt(version, 10) < page.floor) follower.known.delete(ref);
}

async function applyCatalog(follower: RealmReplica, version: string, { redis, target }: ReplicaOptions): Promise<void> {
  if (version === "" || version === follower.catalogVersion) return;
  const json = await redis.client.hget(realmKeys(follower.realm).meta, "catalog");
  const catalog = json === null ? undefined : decodeCatalog(json);
  if (catalog) target.setCatalog(catalog);
  follower.catalogVersion = version;
}

/** Everything was read: what did not come up again is gone. */
function finishReading(follower: RealmReplica, { target, onStateChange }: ReplicaOptions): void {
  if (follower.unconfirmed && follower.unconfirmed.size > 0) target.apply(dropsOf(follower, follower.unconfirmed));
  follower.unconfirmed = undefined;
  if (follower.state === "loaded") return;
  follower.state = "loaded";
  onStateChange();
}

/** Drops of objects at the version that was handed on, so that any later one outranks the drop. */
function dropsOf(follower: RealmReplica, refs: Iterable<string>): RowChange[] {
  return [...refs].flatMap((ref): RowChange[] => {
    const [epoch = 0, revision = 0] = (follower.known.get(ref) ?? "").split(" ").map(Number);
    follower.known.delete(ref);
    return [{ kind: "drop", realm: follower.realm, key: keyOf(ref), epoch, revision }];
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
    sighting = "",
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
    liveness: parseLiveness(sighting, storedAt),
    reached: Number(reached || 0),
    objects: (fields.length - 8) / 3,
    versions,
    changes,
  };
}

function parseLiveness(json: string, storedAt: string): Omit<RealmLiveness, "heartbeatMonotonicMs"> {
  const nothing = { heartbeatAtMs: undefined, clockSkewMs: undefined, instance: "", epoch: 0, revision: 0 };
  const told = json === "" ? nothing : { ...nothing, ...(JSON.parse(json) as Partial<typeof nothing>) };
  return { ...told, storedAtMs: storedAt === "" ? undefined : Number(storedAt) };
}
