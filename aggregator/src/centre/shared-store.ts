import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { type IngestEvents, openIngest } from "../ingest/ingest.ts";
import { openRebuilder } from "../ingest/rebuild.ts";
import type { Sighting } from "../realms/realm-liveness.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { openRedisStore } from "../redis/redis-store.ts";
import type { AggregatorMetrics } from "./aggregator-metrics.ts";

export type SharedStoreParts = {
  readonly bus: NatsBus;
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly mint: () => string;
  readonly metrics: AggregatorMetrics;
  readonly events: IngestEvents;
  readonly isListed: (realm: string) => boolean;
  readonly historyLength: () => number;
  readonly historyRetentionMs: number;
  /** Realms that Redis does not have whole. */
  readonly missing: () => Promise<readonly string[]>;
  readonly realms: () => readonly string[];
};

/** The writing side of Redis, which all aggregators share: it outlives reloads. */
export type SharedStore = {
  see(realm: string, sighting: Sighting): void;
  forget(realm: string): void;
  /** Looks for what has to be rebuilt, soon. */
  nudge(): void;
  /** Has a realm read from the streams again. */
  reread(realm: string): void;
  close(): Promise<void>;
};

/**
 * Aggregators of one Redis share their consumers, those of another one have their own: what one Redis was told
 * the other would miss. Two spellings of one Redis only do the work twice.
 */
const consumerPrefix = (redis: RedisConnection): string =>
  `realmwatch-${createHash("sha256").update(redis.name).digest("hex").slice(0, 12)}`;

export function openSharedStore(parts: SharedStoreParts): SharedStore {
  const { bus, redis, clock, log, metrics, events, historyRetentionMs } = parts;
  const store = openRedisStore({ redis, clock, historyLength: parts.historyLength, historyRetentionMs });
  const suspects = new Set<string>();
  const ingest = openIngest({
    bus,
    clock,
    log,
    isListed: parts.isListed,
    write: store.write,
    shared: consumerPrefix(redis),
    historyRetentionMs,
    events,
  });
  const rebuilder = openRebuilder({
    bus,
    store,
    clock,
    log,
    mintToken: parts.mint,
    missing: async () => (redis.trouble() === "" ? [...new Set([...(await parts.missing()), ...suspects])] : []),
    historyRetentionMs,
    onRebuilt(realm) {
      suspects.delete(realm);
      metrics.rebuilt(realm);
    },
  });
  const reread = (realm: string): void => {
    suspects.add(realm);
    rebuilder.nudge();
  };
  const ignore = (): void => {};
  redis.onUp(() => {
    // Another server process may have lost the newest writes, though not all: a failover, or a restart from disk.
    store.isNewServer().then((isNew) => isNew && parts.realms().forEach(reread), ignore);
  });
  return {
    see: (realm, sighting) => void store.see(realm, sighting).catch(ignore),
    forget: (realm) => void store.forget(realm).catch(ignore),
    nudge: () => rebuilder.nudge(),
    reread,
    async close() {
      await Promise.all([ingest.close(), rebuilder.close()]);
    },
  };
}
