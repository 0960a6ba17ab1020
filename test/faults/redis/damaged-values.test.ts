import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RealmKeys } from "@realmwatch/aggregator/redis/redis-keys";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { Redis } from "ioredis";
import { connect } from "nats";
import { call } from "../../run/call.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { sampleAnswers } from "../answer-samples.ts";
import { hostAt, metricAt, passiveHosts, setHost, storedKeys, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const hosts = 12;
/** JSON of more levels than a reader that calls itself can follow. */
const nested = "[".repeat(100_000) + "]".repeat(100_000);

type Damage = (client: Redis, keys: RealmKeys) => Promise<unknown>;
/** Damage, and true when an aggregator that runs repairs it; false when the next one that starts does. */
type DamageCase = readonly [name: string, damage: Damage, whileRunning: boolean];
const damages: readonly DamageCase[] = [
  [
    "a row that is no JSON, and one that is nested lists",
    (client, keys) => client.hset(keys.rows, { h1: "garbage", h2: nested }),
    false,
  ],
  [
    "a row of another object",
    async (client, keys) => client.hset(keys.rows, "h1", (await client.hget(keys.rows, "h2")) ?? ""),
    false,
  ],
  [
    "a row whose output is nested 100 000 levels deep",
    async (client, keys) => {
      const row = JSON.parse((await client.hget(keys.rows, "h1")) ?? "") as object;
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      return client.hset(keys.rows, "h1", JSON.stringify({ ...row, output: "@" }).replace('"@"', deep));
    },
    false,
  ],
  [
    "a row and a record that are altered, with their versions",
    async (client, keys) => {
      const row = (await client.hget(keys.rows, "h1")) ?? "";
      assert.match(row, /"status":"critical"/);
      await client.hset(keys.rows, "h1", row.replace('"status":"critical"', '"status":"ok"'));
      const [record = ""] = await client.zrange(keys.history, 0, "0", "REV");
      await client.zrem(keys.history, record);
      await client.zadd(keys.history, Date.now(), record.replace('"type":"', '"type":"x'));
    },
    false,
  ],
  ["an invalid version", (client, keys) => client.hset(keys.versions, "h1", "x y z"), false],
  ["an index with an unknown object", (client, keys) => client.zadd(keys.changes, 1e9, "nothing"), true],
  ["evicted rows", (client, keys) => client.del(keys.rows), true],
  ["evicted versions", (client, keys) => client.del(keys.versions), true],
  ["an evicted change index", (client, keys) => client.del(keys.changes), true],
  ["evicted metadata", (client, keys) => client.del(keys.meta), true],
  ["a row that is gone", (client, keys) => client.hdel(keys.rows, "h1"), true],
  [
    "overwritten metadata",
    (client, keys) => client.hset(keys.meta, { counter: "x", floor: "y", liveness: "{", catalogVersion: nested }),
    false,
  ],
  [
    "a key of another type",
    async (client, keys) => [await client.del(keys.rows), await client.set(keys.rows, "x")],
    true,
  ],
];

/** Keys of the realm that are evicted before an aggregator starts. */
const startedOn: readonly (readonly [name: string, evicted: readonly (keyof RealmKeys)[]])[] = [
  ["rows", ["rows"]],
  ["metadata", ["meta"]],
  ["everything but the metadata", ["rows", "versions", "changes"]],
];

async function startCentre(t: Parameters<typeof startNats>[0]) {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const client = new Redis(redis.url);
  atEnd(t, () => client.disconnect());
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const start = (more: { readonly port?: number } = {}) =>
    startTestAggregator(t, { realms: "realms: {fra: {}, ams: {}}\n", flags: { ...flags, ...more } });
  const centre = await start();
  for (const realm of ["fra", "ams"]) {
    const agent = await startTestAgent(t, { config: passiveHosts(hosts), realm, flags: { "nats-url": nats.url } });
    await setHost(agent, "h1", "CRITICAL");
  }
  for (const realm of ["fra", "ams"]) await untilRealmIs(centre, { realm, freshness: "CURRENT", rows: hosts });
  const keys = await storedKeys(client, "fra");
  const untilWhole = (aggregator = centre) =>
    until(
      "every row is stored whole",
      async () => {
        const rows = Object.values(await client.hgetall(keys.rows));
        const objects = rows.map((json) => (JSON.parse(json) as { about: { key: { name: string } } }).about.key.name);
        const counts = [await client.hlen(keys.versions), await client.zcard(keys.changes)];
        const isCritical = (await client.hget(keys.rows, "h1"))?.includes('"status":"critical"');
        if (!isCritical || (await client.exists(keys.meta)) === 0) return false;
        return new Set(objects).size === hosts && rows.length === hosts && counts.every((count) => count === hosts);
      },
      { ...withinAMinute, seen: () => aggregator.output().slice(-3_000) },
    );
  await untilWhole();
  return { nats, client, keys, centre, start, untilWhole };
}

async function hasWholeHistory({ base }: TestProgram): Promise<boolean> {
  const { ok, body } = await call(base, "QueryService/ListHistory", { realm: "fra" });
  const records = (body["records"] ?? []) as { readonly type: string }[];
  return ok && records.length > 0 && records.every(({ type }) => type !== "" && type !== "HISTORY_TYPE_UNSPECIFIED");
}

describe("damage of one realm in Redis", { concurrency: 3 }, () => {
  for (const [by, isRepairedWhileRunning] of [
    ["an aggregator that runs", true],
    ["the next one that starts", false],
  ] as const)
    test(`[RS14, FD91] it is repaired by ${by}`, async (t) => {
      const { client, keys, centre, start, untilWhole } = await startCentre(t);
      for (const [name, damage, whileRunning] of damages) {
        if (whileRunning !== isRepairedWhileRunning) continue;
        await t.test(name, async () => {
          await damage(client, keys);
          const fresh = whileRunning ? centre : await start();
          await untilWhole();
          for (const realm of ["fra", "ams"]) await untilRealmIs(fresh, { realm, freshness: "CURRENT", rows: hosts });
          assert.equal((await hostAt(fresh, "fra", "h1"))?.status, "STATUS_CRITICAL");
          await until("the history is whole", () => hasWholeHistory(fresh), withinAMinute);
          await untilRealmIs(centre, { realm: "fra", freshness: "CURRENT", rows: hosts });
          if (fresh !== centre) await fresh.stop();
        });
      }
      assert.equal(await metricAt(centre, 'realmwatch_redis_damage_repairs_total{realm="ams"}'), undefined);
    });

  test("[FD7] a realm whose store is emptied together with the stream is current only with all its rows", async (t) => {
    const { nats, client, centre, untilWhole } = await startCentre(t);
    const samples = sampleAnswers(t, centre.base, {
      realm: "fra",
      isWhole: ({ rows, rowsHeld }) => rows.size === hosts && rowsHeld === hosts,
    });
    const connection = await connect({ servers: nats.url });
    const manager = await connection.jetstreamManager();
    await Promise.all([client.flushall(), manager.streams.purge(stateStream.name)]);
    await connection.close();
    await until("rows are lost", async () => samples.outdated() > 0, withinAMinute);
    await untilWhole();
    for (const realm of ["fra", "ams"]) await untilRealmIs(centre, { realm, freshness: "CURRENT", rows: hosts });
    await samples.stop();
    assert.deepEqual(samples.failures(), []);
  });

  test("[RS14, FD7] an aggregator that starts on evicted keys calls no realm current with fewer rows than it has", async (t) => {
    const { client, keys, centre, start, untilWhole } = await startCentre(t);
    // An aggregator that runs would repair the damage before the other one reads it.
    await centre.stop();
    for (const [name, evicted] of startedOn)
      await t.test(name, async (t) => {
        await client.del(evicted.map((name) => keys[name]));
        const port = await freePort();
        const samples = sampleAnswers(t, `http://127.0.0.1:${port}`, {
          realm: "fra",
          isWhole: ({ rows, rowsHeld }) => rows.size === hosts && rowsHeld === hosts,
        });
        const fresh = await start({ port });
        await untilWhole(fresh);
        for (const realm of ["fra", "ams"]) await untilRealmIs(fresh, { realm, freshness: "CURRENT", rows: hosts });
        await samples.stop();
        t.diagnostic(`${samples.outdated()} of ${samples.answers()} answers lacked rows`);
        assert.ok(samples.answers() > 0);
        assert.deepEqual(samples.failures(), []);
        await fresh.stop();
      });
  });
});
