import { createHash } from "node:crypto";
import { Ingest } from "../ingest/ingest.ts";
import { openRebuilder, type RebuildOptions } from "../ingest/rebuild.ts";
import { rereadRealm, silentEvents } from "../ingest/reread-realm.ts";
import type { IngestEvents } from "../ingest/write-messages.ts";
import type { CentreRedis } from "../redis/ownership/centre-redis.ts";
import { openRealmClaims, type RealmClaimsOptions } from "../redis/ownership/realm-claims.ts";
import { schemaVersion } from "../redis/redis-keys.ts";
import type { RedisStore } from "../redis/redis-store.ts";
import type { AggregatorMetrics } from "./aggregator-metrics.ts";
import { openStoredDamageRepair } from "./stored-damage-repair.ts";

type SharedStoreOptions = Omit<RebuildOptions, "store" | "onRebuilt"> &
  Omit<RealmClaimsOptions, "store" | "aggregator"> & {
    readonly store: RedisStore;
    readonly metrics: AggregatorMetrics;
    readonly events: IngestEvents;
  };

/**
 * Aggregators with the same Redis and schema version share their consumers; others have their own, because a message
 * that one store received would be missing in the other. Two spellings of one Redis URL only do the work twice.
 */
const consumerPrefix = (redis: CentreRedis): string =>
  `realmwatch-v${schemaVersion}-${createHash("sha256").update(redis.name).digest("hex").slice(0, 12)}`;

/** Write side of Redis, which all aggregators share. Survives reloads. */
export function openSharedStore(options: SharedStoreOptions) {
  const { bus, redis, store, clock, metrics, isListed, realms } = options;
  const suspects = new Set<string>();
  const claims = openRealmClaims({ ...options, aggregator: options.mintToken() });
  const rebuilder = openRebuilder({
    ...options,
    realmsToRebuild: async () =>
      redis.unavailableReason() === "" ? [...new Set([...(await options.realmsToRebuild()), ...suspects])] : [],
    onRebuilt(realm) {
      metrics.rebuilt(suspects.delete(realm) ? "store_lost" : "incomplete");
    },
  });
  const write: RedisStore["write"] = (batch) => store.write(batch);
  const ingest = new Ingest({
    ...options,
    isListedElsewhere: claims.isListedElsewhere,
    write,
    consumerPrefix: consumerPrefix(redis),
    isRebuilt: (realm, seq) => rebuilder.covers(realm, seq),
  });
  const rebuildRealm = (realm: string): void => {
    suspects.add(realm);
    rebuilder.checkNow();
  };
  const readAgain = (realm: string): Promise<void> =>
    rereadRealm(realm, { bus, clock, isListed, write, events: silentEvents });
  const damageRepair = openStoredDamageRepair({
    ...{ ...options, readAgain },
    checkNow: rebuilder.checkNow,
    onRepair: metrics.damageRepaired,
  });
  redis.onUp(() => {
    // Another server process may have lost the newest writes: a failover, or a restart from disk.
    store.isNewServer().then(
      (isNew) => isNew && realms().forEach(rebuildRealm),
      () => {},
    );
  });
  return {
    /** Claims the realms of a new realms document. */
    claimNow: claims.claimNow,
    /** Deletes the data of realms that no aggregator lists any more. */
    sweepNow: claims.sweepNow,
    /** Repairs data of a realm in Redis that cannot be read. */
    repairStored: damageRepair.repair,
    /** Checks now whether a realm needs a rebuild. */
    checkNow: () => rebuilder.checkNow(),
    /** Rebuilds a realm from the streams. */
    rebuildRealm,
    /** Writes the rows of a realm again as the stream has them, without discarding what is stored. */
    readAgain,
    async close() {
      claims.close();
      damageRepair.close();
      await Promise.all([ingest.close(), rebuilder.close()]);
    },
  };
}
