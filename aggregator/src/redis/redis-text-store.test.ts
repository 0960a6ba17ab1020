import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ManualClock, manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { contractLimits, textStoreContract } from "@realmwatch/shared/platform/testing/text-store.contract";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { quietLog } from "./redis.fixture.ts";
import { ReconnectingRedis } from "./redis-connection.ts";
import { redisTextStore } from "./redis-text-store.ts";

const server = await startRedisServer();
const redis = new ReconnectingRedis({ url: server.url, clock: systemClock, log: quietLog });
await until("connected to Redis", () => redis.unavailableReason() === "", { seen: redis.unavailableReason });
after(async () => {
  await redis.close();
  await server[Symbol.asyncDispose]();
});
let opened = 0;

async function open(clock: ManualClock) {
  const options = { redis, indexKey: `texts-${++opened}`, limits: contractLimits, clock };
  return { ...options, store: redisTextStore(options), reopen: () => redisTextStore(options) };
}

textStoreContract("Redis", open);

test("[FD96] Redis deletes each text after its time, and the set of all keys without it", async () => {
  const clock = manualClock(1_000_000);
  const { store, indexKey } = await open(clock);
  await store.add("a", "text");
  const leftMs = await redis.client.pttl(`${indexKey}:a`);
  assert.ok(leftMs > 0 && leftMs <= contractLimits.keptMs, `${leftMs} ms`);
  clock.advance(contractLimits.keptMs);
  await store.add("b", "text");
  assert.deepEqual(await redis.client.zrange(indexKey, "0", "-1"), ["b 4"]);
});
