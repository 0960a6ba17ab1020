import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { realmKeys } from "@realmwatch/aggregator/redis/redis-keys";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { startNats, startRedis, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { metricAt, passiveHosts, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const hosts = 12;
const keys = realmKeys("fra");

type Damage = (client: Redis) => Promise<unknown>;
/** Damage, and true when an aggregator that runs repairs it; false when the next one that starts does. */
type DamageCase = readonly [name: string, damage: Damage, whileRunning: boolean];
const groups: Readonly<Record<string, readonly DamageCase[]>> = {
  "overwritten values": [
    ["a row that is no JSON", (client) => client.hset(keys.rows, "h1", "garbage"), false],
    [
      "a row of another object",
      async (client) => client.hset(keys.rows, "h1", (await client.hget(keys.rows, "h2")) ?? ""),
      false,
    ],
    ["a version that is none", (client) => client.hset(keys.versions, "h1", "x y z"), false],
    ["an index with an unknown object", (client) => client.zadd(keys.changes, 1e9, "nothing"), true],
  ],
  "evicted keys": [
    ["rows", (client) => client.del(keys.rows), true],
    ["versions", (client) => client.del(keys.versions), true],
    ["the change index", (client) => client.del(keys.changes), true],
    ["metadata", (client) => client.del(keys.meta), true],
  ],
  "other damage": [
    ["a row that is gone", (client) => client.hdel(keys.rows, "h1"), true],
    [
      "overwritten metadata",
      (client) => client.hset(keys.meta, { counter: "x", floor: "y", liveness: "{", catalog: "{" }),
      false,
    ],
    ["a key of another type", async (client) => [await client.del(keys.rows), await client.set(keys.rows, "x")], true],
  ],
};

async function startCentre(t: Parameters<typeof startNats>[0]) {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const start = () => startTestAggregator(t, { realms: "realms: {fra: {}, ams: {}}\n", flags });
  const centre = await start();
  for (const realm of ["fra", "ams"])
    await startTestAgent(t, { config: passiveHosts(hosts), realm, flags: { "nats-url": nats.url } });
  for (const realm of ["fra", "ams"]) await untilRealmIs(centre, { realm, freshness: "CURRENT", rows: hosts });
  const untilWhole = () =>
    until(
      "every row is stored whole",
      async () => {
        const rows = Object.values(await client.hgetall(keys.rows));
        const objects = rows.map((json) => (JSON.parse(json) as { about: { key: { name: string } } }).about.key.name);
        const counts = [await client.hlen(keys.versions), await client.zcard(keys.changes)];
        return new Set(objects).size === hosts && rows.length === hosts && counts.every((count) => count === hosts);
      },
      { ...withinAMinute, seen: () => centre.output().slice(-3_000) },
    );
  await untilWhole();
  return { client, centre, start, untilWhole };
}

describe("damage of one realm in Redis", { concurrency: 3 }, () => {
  for (const [group, cases] of Object.entries(groups))
    test(`[RS14] ${group}: repaired by an aggregator that runs, or by the next one that starts`, async (t) => {
      const { client, centre, start, untilWhole } = await startCentre(t);
      const repairs = async (realm: string) =>
        metricAt(centre, `realmwatch_redis_damage_repairs_total{realm="${realm}"}`);
      for (const [name, damage, whileRunning] of cases)
        await t.test(name, async () => {
          await damage(client);
          const fresh = whileRunning ? centre : await start();
          await untilWhole();
          for (const realm of ["fra", "ams"]) await untilRealmIs(fresh, { realm, freshness: "CURRENT", rows: hosts });
          await untilRealmIs(centre, { realm: "fra", freshness: "CURRENT", rows: hosts });
          if (fresh !== centre) await fresh.stop();
        });
      assert.equal(await repairs("ams"), undefined);
    });
});
