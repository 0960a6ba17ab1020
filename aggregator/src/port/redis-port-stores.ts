import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { selectionLimits } from "../api/bulk-selections.ts";
import { noteLimits } from "../api/own-notes.ts";
import { openCentreRedis } from "../redis/ownership/centre-redis.ts";
import { redisTlsFiles } from "../redis/redis-clients.ts";
import { ReconnectingRedis } from "../redis/redis-connection.ts";
import { redisHistory } from "../redis/redis-history.ts";
import { bulkSelectionsKey, notesKey, viewsKey } from "../redis/redis-keys.ts";
import { openRedisRevocations } from "../redis/redis-revocations.ts";
import { redisTextMap } from "../redis/redis-text-map.ts";
import { redisTextStore } from "../redis/redis-text-store.ts";
import type { PortStores, PortStoresOptions } from "./port-stores.ts";

/** Log of the connection: what happens to Redis is in the log of the main thread's connection already. */
const quiet = { info() {}, warn() {}, error() {} };

/** Opens the port's own connection to Redis: what requests read there passes the main thread by. */
export function openRedisPortStores({ flags, clock, engine, present }: PortStoresOptions): PortStores {
  let centre = "";
  const redis = openCentreRedis({
    ...{ clock, log: quiet, aggregator: idGenerator(clock)(), streamsIdentity: () => centre },
    redis: new ReconnectingRedis({
      ...{ url: flags.redisUrl?.reveal() ?? "", tlsFiles: redisTlsFiles(flags), clock, log: quiet },
    }),
    memory: { identity: "", remember() {} },
  });
  const revocations = openRedisRevocations({ redis, clock });
  return {
    openHistory: ({ labels }, findSubject) =>
      redisHistory({
        ...{ redis, findSubject, realms: [...labels.keys()] },
        unreadableReason: (realm) => redis.unavailableReason() || (present.last?.unreadableHistories.get(realm) ?? ""),
        onDamage: (realm) => engine.tell("historyDamaged", realm),
      }),
    revocations,
    selections: redisTextStore({ redis, indexKey: bulkSelectionsKey, limits: selectionLimits, clock }),
    notes: redisTextStore({ redis, indexKey: notesKey, limits: noteLimits(flags.historyRetention), clock }),
    views: redisTextMap(redis, viewsKey),
    setCentre(identity) {
      centre = identity;
    },
    async close() {
      revocations.close();
      await redis.close();
    },
  };
}
