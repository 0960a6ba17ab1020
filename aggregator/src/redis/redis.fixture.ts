import { after } from "node:test";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { contractRealmLabels } from "@realmwatch/shared/read-model/read-model.fixture";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { splitCatalog } from "@realmwatch/shared/wire/catalog-parts";
import { maxMessageBytes } from "@realmwatch/shared/wire/nats/nats-subjects";
import { HeldCatalog, type VersionedCatalogPart } from "../realms/held/held-catalog.ts";
import type { CentreRedis } from "./ownership/centre-redis.ts";
import type { ReplicaTarget, StoredDamage } from "./realm-replica.ts";
import { ReconnectingRedis, type RedisConnection } from "./redis-connection.ts";
import { redisHistory } from "./redis-history.ts";
import { openRedisReplica } from "./redis-replica.ts";
import { RedisStore } from "./redis-store.ts";

export const quietLog = { info() {}, warn() {} };

/** Centre of the keys that tests of a store without NATS write. */
export const testCentre = "test";
export const inTestCentre = (redis: RedisConnection): CentreRedis => Object.assign(redis, { centre: testCentre });

type RedisTestOptions = {
  readonly url: string;
  readonly realms: readonly string[];
  /** Generation of the read model, unique for each opened one. */
  readonly generation: string;
};

/** Opens a store and a replica on one Redis, as in an aggregator, and waits for the connection; closed with the test. */
export async function openTestRedis({ url, realms, generation }: RedisTestOptions) {
  const redis = inTestCentre(new ReconnectingRedis({ url, clock: systemClock, log: quietLog }));
  after(() => redis.close());
  await until("connected to Redis", () => redis.unavailableReason() === "", { seen: redis.unavailableReason });
  const lost: string[] = [];
  const damaged: { readonly realm: string; readonly damage: StoredDamage }[] = [];
  /** Realms whose history counts as unreadable, with the reason. */
  const unreadable = new Map<string, string>();
  const model = memoryReadModel({
    generation,
    history: { history: (query) => history.history(query) },
    realmLabels: (realm) => contractRealmLabels[realm] ?? {},
  });
  const history = redisHistory({
    redis,
    realms,
    unreadableReason: (realm) => unreadable.get(realm) ?? "",
    onDamage: (realm) => damaged.push({ realm, damage: { kind: "history" } }),
    findSubject: model.selectorSubject,
  });
  const replica = openRedisReplica({
    realms,
    redis,
    target: replicaTarget(model),
    clock: systemClock,
    log: quietLog,
    onLiveness() {},
    onStateChange() {},
    onLoss: (realm) => lost.push(realm),
    onDamage: (realm, damage) => damaged.push({ realm, damage }),
  });
  after(() => replica.close());
  const store = new RedisStore({ redis, clock: systemClock, historyLength: () => 1_000, historyRetentionMs: 2 ** 42 });
  const close = async () => {
    replica.close();
    await redis.close();
  };
  return { redis, model, replica, store, lost, damaged, unreadable, close };
}

/** Write side of a model, to be filled by a replica. */
export function replicaTarget(model: MemoryReadModel): ReplicaTarget {
  const catalogs = new Map<string, HeldCatalog>();
  return {
    apply: model.apply,
    dropRealmRowsBelow: model.dropRealmRowsBelow,
    forgetRealm: model.forgetRealm,
    applyCatalogParts(realm, parts) {
      const held = catalogs.get(realm) ?? new HeldCatalog(realm, () => {});
      catalogs.set(realm, held);
      for (const part of parts) held.apply(part);
      model.setCatalog(held.catalog);
    },
  };
}

/** A catalog of a version, as the parts that are written. */
export const catalogPartsOf = (catalog: Catalog, version: RowVersion): readonly VersionedCatalogPart[] =>
  splitCatalog(catalog, maxMessageBytes).parts.map((part) => ({ ...part, ...version }));
