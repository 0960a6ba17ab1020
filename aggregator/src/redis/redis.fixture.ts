import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { contractRealmLabels } from "@realmwatch/shared/read-model/read-model.fixture";
import { openRedis } from "./redis-connection.ts";
import { redisHistory } from "./redis-history.ts";
import { openRedisReplica } from "./redis-replica.ts";
import { openRedisStore } from "./redis-store.ts";

export const quietLog = { info() {}, warn() {} };

export type RedisTestOptions = {
  readonly url: string;
  readonly realms: readonly string[];
  /** Of the read model; another one for each that is opened. */
  readonly generation: string;
};

/** A store and a mirror on one Redis, as each aggregator has them, once they are connected. */
export async function openTestRedis({ url, realms, generation }: RedisTestOptions) {
  const redis = openRedis({ url, clock: systemClock, quietLog });
  await new Promise<void>((resolve) => redis.onUp(resolve));
  const lost: string[] = [];
  const model = memoryReadModel({
    generation,
    history: { history: (query) => history.history(query) },
    realmLabels: (realm) => contractRealmLabels[realm] ?? {},
  });
  const history = redisHistory({ redis, realms, findSubject: model.selectorSubject });
  const mirror = openRedisReplica({
    realms,
    redis,
    target: model,
    clock: systemClock,
    quietLog,
    onLiveness() {},
    onStateChange() {},
    onLoss: (realm) => lost.push(realm),
  });
  const store = openRedisStore({ redis, clock: systemClock, historyLength: () => 1_000, historyRetentionMs: 2 ** 42 });
  const close = async () => {
    mirror.close();
    await redis.close();
  };
  return { redis, model, mirror, store, lost, close };
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise<void>((resolve) => systemClock.after(5, resolve));
}
