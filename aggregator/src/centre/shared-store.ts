import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { type IngestEvents, openIngest } from "../ingest/ingest.ts";
import { openRebuilder } from "../ingest/rebuild.ts";
import { rereadRealm, silentEvents } from "../ingest/reread-realm.ts";
import type { RealmLiveness } from "../realms/realm-liveness.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { schemaVersion } from "../redis/redis-keys.ts";
import { openRedisStore } from "../redis/redis-store.ts";
import type { AggregatorMetrics } from "./aggregator-metrics.ts";

export type SharedStoreOptions = {
  readonly bus: NatsBus;
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly mintToken: () => string;
  readonly metrics: AggregatorMetrics;
  readonly events: IngestEvents;
  readonly isListed: (realm: string) => boolean;
  readonly historyLength: () => number;
  readonly historyRetentionMs: number;
  /** Returns the realms that are incomplete in Redis. */
  readonly realmsToRebuild: () => Promise<readonly string[]>;
  readonly realms: () => readonly string[];
};

/** Write side of Redis, which all aggregators share. Survives reloads. */
export type SharedStore = {
  storeLiveness(realm: string, liveness: RealmLiveness): void;
  forget(realm: string): void;
  /** Checks now whether a realm needs a rebuild. */
  checkNow(): void;
  /** Writes the rows of a realm again as the stream has them, without discarding what is stored. */
  readAgain(realm: string): Promise<void>;
  /** Rebuilds a realm from the streams. */
  rebuildRealm(realm: string): void;
  close(): Promise<void>;
};

/**
 * Aggregators with the same Redis and schema version share their consumers; others have their own, because a message
 * that one store received would be missing in the other. Two spellings of one Redis URL only do the work twice.
 */
const consumerPrefix = (redis: RedisConnection): string =>
  `realmwatch-v${schemaVersion}-${createHash("sha256").update(redis.name).digest("hex").slice(0, 12)}`;

export function openSharedStore(options: SharedStoreOptions): SharedStore {
  const { bus, redis, clock, log, metrics, events, historyRetentionMs } = options;
  const store = openRedisStore({ redis, clock, historyLength: options.historyLength, historyRetentionMs });
  const suspects = new Set<string>();
  const ingest = openIngest({
    bus,
    clock,
    log,
    isListed: options.isListed,
    write: store.write,
    consumerPrefix: consumerPrefix(redis),
    historyRetentionMs,
    events,
  });
  const rebuilder = openRebuilder({
    bus,
    store,
    clock,
    log,
    mintToken: options.mintToken,
    realmsToRebuild: async () =>
      redis.unavailableReason() === "" ? [...new Set([...(await options.realmsToRebuild()), ...suspects])] : [],
    historyRetentionMs,
    onRebuilt(realm) {
      suspects.delete(realm);
      metrics.rebuilt(realm);
    },
  });
  const rebuildRealm = (realm: string): void => {
    suspects.add(realm);
    rebuilder.checkNow();
  };
  const ignore = (): void => {};
  redis.onUp(() => {
    // Another server process may have lost the newest writes: a failover, or a restart from disk.
    store.isNewServer().then((isNew) => isNew && options.realms().forEach(rebuildRealm), ignore);
  });
  return {
    storeLiveness: (realm, liveness) => void store.storeLiveness(realm, liveness).catch(ignore),
    forget: (realm) => void store.forget(realm).catch(ignore),
    checkNow: () => rebuilder.checkNow(),
    rebuildRealm,
    readAgain: (realm) =>
      rereadRealm(realm, { bus, clock, isListed: options.isListed, write: store.write, events: silentEvents }),
    async close() {
      await Promise.all([ingest.close(), rebuilder.close()]);
    },
  };
}
