import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { stopProcess } from "@realmwatch/shared/platform/testing/stop-process.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { readModelContract } from "@realmwatch/shared/read-model/contract/read-model.contract";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import { allHistory, everyRow, rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { emptyCatalog } from "@realmwatch/shared/wire/catalog-parts";
import { Redis } from "ioredis";
import type { StoredLiveness } from "../realms/realm-liveness.ts";
import { catalogPartsOf, openTestRedis, quietLog, replicaTarget, testCentre } from "./redis.fixture.ts";
import { type RealmKeys, realmKeys, schemaVersion } from "./redis-keys.ts";
import { openRedisReplica } from "./redis-replica.ts";
import { RedisStore } from "./redis-store.ts";

let server: SpawnedServer;
before(async () => {
  server = await startRedisServer();
});
after(() => server[Symbol.asyncDispose]());

const realms = ["eu", "us"];
const nothing = { changes: [], completeEpoch: undefined, catalogParts: [], records: [] };

async function open({ fresh = false } = {}) {
  if (fresh) {
    const client = new Redis(server.url);
    await client.flushall();
    client.disconnect();
  }
  return openTestRedis({ url: server.url, realms, generation: String(++opened) });
}
let opened = 0;
type Opened = Awaited<ReturnType<typeof open>>;

async function build({ store }: Opened): Promise<void> {
  const token = `g${++opened}`;
  for (const realm of realms) {
    await store.beginBuild(realm, token);
    assert.ok(await store.finishBuild(realm, token, { part: "rows", storedAtMs: 7 }));
  }
}
async function refsOf({ model }: Opened): Promise<string[]> {
  const answer = await model.status({ ...everyRow, sort: { by: "name", reverse: false } });
  assert.ok(answer.ok);
  return answer.value.rows.map((row) => refOf(row.about.key));
}
async function outputOf({ model }: Opened, host: string): Promise<string | undefined> {
  const answer = await model.status({ ...everyRow, sort: { by: "name", reverse: false } });
  assert.ok(answer.ok);
  return answer.value.rows.find((row) => refOf(row.about.key) === host)?.output;
}
const put = ({ store }: Opened, ...rows: ReturnType<typeof rowFor>[]) =>
  store.write({ ...nothing, realm: rows[0]?.realm ?? "", changes: rows.map((row) => ({ kind: "put", row })) });

readModelContract("redis", async () => {
  const on = await open({ fresh: true });
  const { model, replica, store } = on;
  await build(on);
  await until("all realms are loaded", () => realms.every((realm) => replica.state(realm) === "loaded"));
  let version = 0;
  return {
    model,
    async apply(changes) {
      for (const realm of realms) {
        const own = changes.filter((change) => (change.kind === "put" ? change.row.realm : change.realm) === realm);
        await store.write({ ...nothing, realm, changes: own });
      }
      await replica.refresh();
    },
    async dropRealmRowsBelow(realm, epoch) {
      await store.write({ ...nothing, realm, completeEpoch: epoch });
      await replica.refresh();
    },
    async setCatalog(catalog) {
      const catalogParts = catalogPartsOf(catalog, { epoch: 1, revision: ++version });
      await store.write({ ...nothing, realm: catalog.realm, catalogParts });
      await replica.refresh();
    },
    setRealms: async (views) => model.setRealms(() => views),
    async record(records) {
      for (const realm of realms)
        await store.write({ ...nothing, realm, records: records.filter((record) => record.realm === realm) });
    },
    close: on.close,
  };
});

test("a change reaches the replica of every aggregator without a poll", async () => {
  const one = await open({ fresh: true });
  const other = await open();
  await build(one);
  await until("eu is loaded", () => other.replica.state("eu") === "loaded");
  await put(one, rowFor("eu", "web1"));
  await until("the other replica has web1", async () => (await refsOf(other)).includes("web1"));
  await Promise.all([one.close(), other.close()]);
});

test("[FD59] under steady changes a realm is read at most five times a second, and the last change is not missed", async () => {
  const [one, other] = [await open({ fresh: true }), await open()];
  await build(one);
  await until("eu is loaded", () => other.replica.state("eu") === "loaded");
  let commands = 0;
  other.redis.onCommand(() => {
    commands += 1;
  });
  const startedMs = performance.now();
  const last = 300;
  for (let number = 1; number <= last; number += 1) await put(one, rowFor("eu", `web${number}`));
  await until("all rows are there", async () => (await refsOf(other)).length === last);
  const seconds = (performance.now() - startedMs) / 1_000;
  // Beside the changes of one realm, both realms are polled once a second.
  const most = 5 * seconds + realms.length * (seconds + 1) + 2;
  assert.ok(commands <= most, `${commands} reads in ${seconds} s`);
  await Promise.all([one.close(), other.close()]);
});

test("[FD59] while an object changes faster than that, the realm is read after each message", async () => {
  const [one, other] = [await open({ fresh: true }), await open()];
  await build(one);
  await until("eu is loaded", () => other.replica.state("eu") === "loaded");
  const changeTo = async (last: number): Promise<void> => {
    for (let revision = last - 299; revision <= last; revision += 1)
      await put(one, rowFor("eu", "web1", { revision, output: `revision ${revision}` }));
    await until("the last change", async () => (await outputOf(other, "web1")) === `revision ${last}`);
  };
  await changeTo(300);
  await changeTo(600);
  let commands = 0;
  other.redis.onCommand(() => {
    commands += 1;
  });
  const startedMs = performance.now();
  await changeTo(900);
  const seconds = (performance.now() - startedMs) / 1_000;
  const most = 5 * seconds + realms.length * (seconds + 1) + 2;
  assert.ok(commands > most, `${commands} reads in ${seconds} s`);
  await Promise.all([one.close(), other.close()]);
});

test("[RS2] a realm in an emptied Redis is missing until its rebuild, which removes absent objects", async () => {
  const on = await open({ fresh: true });
  await build(on);
  await put(on, rowFor("eu", "web1"), rowFor("eu", "web2"));
  await until("eu is loaded", () => on.replica.state("eu") === "loaded");
  await on.redis.client.flushall();
  await put(on, rowFor("eu", "web1"));
  await until("eu is missing", () => on.replica.state("eu") === "missing");
  await build(on);
  await until("eu is loaded", () => on.replica.state("eu") === "loaded");
  assert.deepEqual(await refsOf(on), ["web1"]);
  await on.close();
});

test("[RS2] a rebuild during which Redis was emptied does not count", async () => {
  const on = await open();
  await on.store.beginBuild("eu", "g");
  await on.redis.client.flushall();
  assert.equal(await on.store.finishBuild("eu", "g", { part: "rows", storedAtMs: undefined }), false);
  await on.close();
});

test("[RS3] lost confirmed writes are detected, and the realm is missing until it is rebuilt", async () => {
  const on = await open({ fresh: true });
  await build(on);
  await put(on, rowFor("eu", "web1"), rowFor("eu", "web2"));
  await until("eu is loaded", () => on.replica.state("eu") === "loaded");
  await until("both rows are loaded", async () => (await refsOf(on)).length === 2);
  const keys = realmKeys(testCentre, "eu");
  await on.redis.client.hdel(keys.rows, "web2");
  await on.redis.client.hdel(keys.versions, "web2");
  await on.redis.client.zrem(keys.changes, "web2");
  await on.redis.client.hset(keys.meta, "counter", "1");
  await until("the loss is detected", () => on.lost.includes("eu"));
  await until("eu is missing", () => on.replica.state("eu") === "missing");
  await put(on, rowFor("eu", "web2"));
  await build(on);
  await until("eu is loaded", () => on.replica.state("eu") === "loaded");
  assert.deepEqual(await refsOf(on), ["web1", "web2"]);
  await on.close();
});

test("[RS1] without Redis the reason names it and commands fail fast; the connection recovers by itself", async () => {
  const on = await open();
  await server.stop("SIGKILL");
  await until("Redis is away", on.redis.unavailableReason);
  assert.match(on.redis.unavailableReason(), /Redis at 127\.0\.0\.1:\d+ is away/);
  await assert.rejects(put(on, rowFor("eu", "web1")));
  await server.restart();
  await until("Redis is back", () => on.redis.unavailableReason() === "");
  await until("the empty Redis is read", () => on.replica.state("eu") !== "loaded");
  await on.close();
});

test("[RS1] a Redis that hangs counts as away", async () => {
  const on = await open();
  stopProcess(server.pid);
  try {
    await assert.rejects(put(on, rowFor("eu", "web1")), /timed out|closed/i);
    await until("Redis is away", on.redis.unavailableReason);
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  await until("Redis is back", () => on.redis.unavailableReason() === "");
  await on.close();
});

test("[FD57] history names the realms that cannot be read, and rows of a past time over them are refused", async () => {
  const on = await open({ fresh: true });
  const record = (realm: string, seq: number) =>
    on.store.write({ ...nothing, realm, records: [{ realm, seq, atMs: seq * 10, type: "config" }] });
  for (let seq = 1; seq <= 3; seq += 1) for (const realm of ["eu", "us"]) await record(realm, seq);
  const history = (query: Partial<HistoryQuery> = {}) => on.model.history({ ...allHistory, ...query });
  const whole = await history();
  assert.ok(whole.ok && whole.value.unread === undefined && whole.value.records.length === 6);

  on.unreadable.set("eu", "history of realm eu is being rebuilt");
  const first = await history({ pageSize: 2 });
  assert.ok(first.ok);
  const next = await history({ pageSize: 2, pageToken: first.value.nextPageToken });
  assert.ok(next.ok);
  assert.deepEqual(
    [...first.value.records, ...next.value.records].map(({ realm, seq }) => `${realm} ${seq}`),
    ["us 3", "us 2", "us 1"],
  );
  for (const { value } of [first, next])
    assert.deepEqual(value.unread, [{ realm: "eu", why: "history of realm eu is being rebuilt" }]);
  const unavailable = { kind: "unavailable", what: "history of realm eu is being rebuilt" };
  const only = await history({ realm: "eu" });
  assert.deepEqual(only.ok && [only.value.records, only.value.unread?.length, only.value.held?.size], [[], 1, 0]);
  await build(on);
  await put(on, rowFor("us", "web1"));
  await until("us is loaded", async () => (await refsOf(on)).includes("web1"));
  const past = await on.model.status({ ...everyRow, atMs: 15 });
  assert.deepEqual(past, { ok: false, error: unavailable }, "rows of the past would be a guess");

  on.unreadable.clear();
  await on.redis.client.set(realmKeys(testCentre, "us").history, "of another type");
  const damaged = await history();
  assert.deepEqual(damaged.ok && damaged.value.unread?.map(({ realm }) => realm), ["us"]);
  assert.equal(damaged.ok && damaged.value.records.length, 3);
  await on.redis.client.zadd(realmKeys(on.redis.centre, "eu").history, 40, "0000000000000004:{damaged");
  const unreadable = await history();
  assert.deepEqual(unreadable.ok && unreadable.value.unread?.map(({ realm }) => realm), ["eu", "us"]);
  await on.close();
});

test("[FD77] the position up to which history was trimmed is known, by number and by age", async () => {
  const on = await open({ fresh: true });
  const clock = { ...systemClock, now: () => 1_000 };
  const storeOf = (records: number, retentionMs: number) =>
    new RedisStore({ redis: on.redis, clock, historyLength: () => records, historyRetentionMs: retentionMs });
  const write = (store: ReturnType<typeof storeOf>, ...seqs: number[]) =>
    store.write({
      ...nothing,
      realm: "eu",
      records: seqs.map((seq) => ({ realm: "eu", seq, atMs: seq * 10, type: "config" })),
    });
  const trimmed = async () => {
    const answer = await on.model.history({ ...allHistory, realm: "eu" });
    const position = answer.ok ? answer.value.held?.get("eu")?.trimmed : undefined;
    return position && [position.seq, position.atMs];
  };
  await write(storeOf(3, 5_000), 1, 2, 3);
  assert.equal(await trimmed(), undefined);
  await write(storeOf(3, 5_000), 4, 5);
  assert.deepEqual(await trimmed(), [2, 20]);
  await write(storeOf(9, 5_000), 1);
  assert.deepEqual(await trimmed(), [2, 20], "an older record that is trimmed, or not, proves less");
  await write(storeOf(9, 955), 6);
  assert.deepEqual(await trimmed(), [4, 40]);
  await on.close();
});

test("[FD91] a row, a catalog and a record that were altered with their versions kept are not shown, but reported as damaged", async () => {
  const writer = await open({ fresh: true });
  await build(writer);
  await writer.store.write({
    realm: "eu",
    changes: [
      { kind: "put", row: rowFor("eu", "web1", { status: "critical" }) },
      { kind: "put", row: rowFor("eu", "web2") },
    ],
    completeEpoch: undefined,
    catalogParts: catalogPartsOf(emptyCatalog("eu"), { epoch: 1, revision: 1 }),
    records: [1, 2].map((seq) => ({ realm: "eu", seq, atMs: seq * 10, type: "config" })),
  });
  const { client } = writer.redis;
  const { rows, catalog, history } = realmKeys(testCentre, "eu");
  const alter = async (key: string, field: string, from: string, to: string) =>
    client.hset(key, field, ((await client.hget(key, field)) ?? "").replace(from, to));
  await alter(rows, "web1", '"critical"', '"ok"');
  await alter(catalog, "contact.0", '"contacts"', '"x":1,"contacts"');
  const [first = "", second = ""] = await client.zrange(history, 0, "-1");
  await client.zrem(history, second);
  await client.zadd(history, 20, second.replace("config", "reload"));

  const fresh = await open();
  await until("eu is loaded", () => fresh.replica.state("eu") === "loaded");
  assert.deepEqual(await refsOf(fresh), ["web2"]);
  const answer = await fresh.model.history({ ...allHistory });
  assert.deepEqual(answer.ok && [answer.value.records, answer.value.unread?.map(({ realm }) => realm)], [[], ["eu"]]);
  assert.deepEqual(new Set(fresh.damaged.map(({ damage }) => damage.kind)), new Set(["objects", "catalog", "history"]));

  // A record with another time would hide those before it.
  await client.del(history);
  await client.zadd(history, 30, first, 20, second);
  const moved = await fresh.model.history({ ...allHistory });
  assert.deepEqual(moved.ok && moved.value.unread?.map(({ realm }) => realm), ["eu"]);
  await Promise.all([writer.close(), fresh.close()]);
});

test("[FE3, FD8, FD83] liveness is stored as of the clock of Redis, whatever the wall clock of its aggregator", async () => {
  const on = await open({ fresh: true });
  await build(on);
  const liveness = {
    clockSkewMs: 3,
    seen: { history: 7, command: 2 },
    instance: "a",
    epoch: 4,
    revision: 2,
    storedAtMs: undefined,
    heartbeatAtMs: 1,
  };
  const wrongClock = { ...systemClock, now: () => systemClock.now() + 300_000 };
  const wrong = new RedisStore({
    ...{ redis: on.redis, clock: wrongClock },
    historyLength: () => 9,
    historyRetentionMs: 9,
  });
  const heardAgo = (ms: number) => ({ heartbeatMonotonicMs: systemClock.monotonic() - ms, isReceivedHere: true });
  // The realm's clock is right: the aggregator whose clock is ahead finds it behind.
  await wrong.storeLiveness("eu", { ...liveness, clockSkewMs: -300_000, ...heardAgo(20_000) });
  await on.store.storeLiveness("eu", { ...liveness, epoch: 3, ...heardAgo(40_000) });
  const seen: StoredLiveness[] = [];
  const { redis } = on;
  const target = replicaTarget(on.model);
  const replica = openRedisReplica({
    realms: ["eu"],
    ...{ redis, target, log: quietLog, clock: { ...systemClock, after: () => () => {} } },
    onLiveness: (_realm, stored) => seen.push(stored),
    onStateChange() {},
    onLoss() {},
    onDamage() {},
  });
  await replica.refresh();
  const { heartbeatAgeMs = 0, clockSkewMs = 0, ...stored } = seen.at(-1) ?? {};
  assert.deepEqual(stored, { instance: "a", epoch: 4, revision: 2, seen: liveness.seen, storedAtMs: 7 });
  assert.ok(heartbeatAgeMs >= 20_000 && heartbeatAgeMs < 40_000, `age of the heartbeat: ${heartbeatAgeMs} ms`);
  assert.ok(Math.abs(clockSkewMs) < 10_000, `skew by this clock: ${clockSkewMs} ms`);
  await on.close();
});

for (const version of [schemaVersion - 1, schemaVersion + 1])
  test(`data of schema version ${version} is not read, and the realm is rebuilt beside it`, async () => {
    const on = await open({ fresh: true });
    const { client } = on.redis;
    const start = `rw:v${version}:${testCentre}:{eu}:`;
    const other = Object.fromEntries(
      Object.keys(realmKeys(testCentre, "eu")).map((name) => [name, start + name]),
    ) as RealmKeys;
    const foreign = { about: { key: { kind: "host", name: "foreign" } }, realm: "eu", epoch: 9, revision: 9 };
    await client.hset(other.rows, "foreign", JSON.stringify(foreign));
    await client.hset(other.versions, "foreign", "9 9");
    await client.zadd(other.changes, 1, "foreign");
    await client.hset(other.meta, { generation: "g", historyGeneration: "g", counter: "1", floor: "9" });
    await until("eu is missing", () => on.replica.state("eu") === "missing");
    assert.deepEqual(await refsOf(on), []);

    await put(on, rowFor("eu", "web1"));
    await build(on);
    await until("eu is loaded", () => on.replica.state("eu") === "loaded");
    assert.deepEqual(await refsOf(on), ["web1"]);
    assert.equal(await client.hget(other.versions, "foreign"), "9 9");
    await on.close();
  });
