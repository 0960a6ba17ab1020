import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keyOf, refOf } from "@realmwatch/shared/model/object-key";
import { ok } from "@realmwatch/shared/model/result";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { everyRow, rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { Row } from "@realmwatch/shared/row/row";
import fc from "fast-check";
import { mergeUpdates, type RealmUpdate } from "../realms/realm-write.ts";
import type { CentreRedis } from "./ownership/centre-redis.ts";
import { openRealmClaims } from "./ownership/realm-claims.ts";
import { catalogPartsOf, inTestCentre, openTestRedis, replicaTarget, testCentre } from "./redis.fixture.ts";
import { ReconnectingRedis } from "./redis-connection.ts";
import { realmKeys } from "./redis-keys.ts";
import { openRedisReplica } from "./redis-replica.ts";
import { RedisStore } from "./redis-store.ts";

let server: SpawnedServer;
let redis: CentreRedis;
let store: RedisStore;
before(async () => {
  server = await startRedisServer();
  redis = inTestCentre(new ReconnectingRedis({ url: server.url, clock: systemClock, log: { info() {}, warn() {} } }));
  await until("connected to Redis", () => redis.unavailableReason() === "", { seen: redis.unavailableReason });
  store = new RedisStore({ redis, clock: systemClock, historyLength: () => 5, historyRetentionMs: 2 ** 42 });
});
after(async () => {
  await redis.close();
  await server[Symbol.asyncDispose]();
});

/** Version of an object. Its content is derived from it, because a version is written only once. */
type Version = { readonly ref: string; readonly epoch: number; readonly revision: number };
const isRemoved = ({ epoch, revision }: Version): boolean => (epoch * 7 + revision) % 4 === 0;
const updateOf = (version: Version): RealmUpdate => {
  const { ref, epoch, revision } = version;
  if (isRemoved(version))
    return { kind: "change", change: { kind: "drop", realm: "fra", key: keyOf(ref), epoch, revision } };
  return { kind: "change", change: { kind: "put", row: rowFor("fra", ref, { epoch, revision }) } };
};

/** Expected rows in the end, by the simplest model. */
function expected(versions: readonly Version[], complete: readonly number[]): string[] {
  const floor = Math.max(0, ...complete);
  const newest = new Map<string, Version>();
  for (const version of versions) {
    const known = newest.get(version.ref);
    const isNewer =
      !known || version.epoch > known.epoch || (version.epoch === known.epoch && version.revision > known.revision);
    if (isNewer) newest.set(version.ref, version);
  }
  const live = [...newest.values()].filter((version) => version.epoch >= floor && !isRemoved(version));
  return live.map(({ ref, epoch, revision }) => `${ref} ${epoch}.${revision}`).sort();
}

const version = fc.record({
  ref: fc.constantFrom("a", "b", "a!x", "process:p"),
  epoch: fc.integer({ min: 1, max: 4 }),
  revision: fc.integer({ min: 1, max: 6 }),
});

test("[RS4] duplicates, reordering, replays and old epochs give the same rows", async () => {
  const schedule = fc
    .record({
      versions: fc.array(version, { maxLength: 25 }),
      complete: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
    })
    .chain(({ versions, complete }) => {
      const updates: RealmUpdate[] = [
        ...versions.map(updateOf),
        ...complete.map((epoch): RealmUpdate => ({ kind: "complete", epoch })),
      ];
      const order = fc.shuffledSubarray([...updates, ...updates, ...updates], { minLength: 3 * updates.length });
      return fc.record({
        versions: fc.constant(versions),
        complete: fc.constant(complete),
        order,
        size: fc.integer({ min: 1, max: 9 }),
      });
    });
  await fc.assert(
    fc.asyncProperty(schedule, async ({ versions, complete, order, size }) => {
      await redis.client.flushall();
      for (let at = 0; at < order.length; at += size)
        await store.write(mergeUpdates("fra", order.slice(at, at + size)));
      const rows = Object.entries(await redis.client.hgetall(realmKeys(testCentre, "fra").rows));
      const left = rows.map(([ref, json]) => {
        const { epoch, revision } = JSON.parse(json) as Row;
        return `${ref} ${epoch}.${revision}`;
      });
      assert.deepEqual(left.sort(), expected(versions, complete));
    }),
    { numRuns: 200 },
  );
});

test("[RS4] several writers of the same versions converge", async () => {
  await redis.client.flushall();
  const versions = Array.from({ length: 300 }, (_, i): Version => ({ ref: `h${i % 30}`, epoch: 5, revision: i + 1 }));
  const writer = async (step: number) => {
    for (let at = 0; at < versions.length; at += step)
      await store.write(mergeUpdates("fra", versions.slice(at, at + step).map(updateOf)));
  };
  await Promise.all([writer(7), writer(50), writer(11)]);
  assert.equal(await redis.client.hlen(realmKeys(testCentre, "fra").rows), expected(versions, []).length);
});

test("an older catalog never replaces a newer one", async () => {
  await redis.client.flushall();
  const toggles = {
    notifications: true,
    activeChecks: true,
    passiveChecks: true,
    eventHandlers: true,
    flapDetection: true,
  };
  const write = (epoch: number, revision: number) => {
    const views = [{ name: `${epoch}.${revision}`, selector: "a", description: "", saved: false, author: "" }];
    const catalog = { realm: "fra", contacts: [], views, sinks: [], panels: [], slos: [], toggles };
    return store.write(
      mergeUpdates(
        "fra",
        catalogPartsOf(catalog, { epoch, revision }).map((part) => ({ kind: "catalog", part })),
      ),
    );
  };
  for (const [epoch, revision] of [
    [2, 1],
    [1, 9],
    [2, 3],
    [2, 2],
  ] as const)
    await write(epoch, revision);
  const { catalog, meta } = realmKeys(testCentre, "fra");
  assert.match((await redis.client.hget(catalog, "view.0")) ?? "", /"2\.3"/);
  await redis.client.del(meta);
  await write(2, 3);
  assert.equal(await redis.client.hget(meta, "catalogVersion"), "1", "readers find it after a rebuild");
});

test("history stores each record once, and only the newest records", async () => {
  await redis.client.flushall();
  const updates = Array.from(
    { length: 8 },
    (_, i): RealmUpdate => ({
      kind: "record",
      record: { realm: "fra", seq: i + 1, atMs: systemClock.now() + i, type: "config" },
    }),
  );
  for (const round of [updates, updates.slice(2), updates]) await store.write(mergeUpdates("fra", round));
  const seqs = (await redis.client.zrange(realmKeys(testCentre, "fra").history, "0", "-1")).map((member) =>
    Number(member.slice(0, 16)),
  );
  assert.deepEqual(seqs, [4, 5, 6, 7, 8]);
});

test("[RS15] no key of a forgotten realm remains, of any version and known or not; others stay", async () => {
  await redis.client.flushall();
  await store.write(
    mergeUpdates("fra", [updateOf({ ref: "a", epoch: 9, revision: 1 }), { kind: "complete", epoch: 9 }]),
  );
  const others = ["rw:v4:{fra-1}:rows", "other:{fra}"];
  for (const key of ["rw:v1:{fra}:rows", "rw:v99:{fra}:unknown", ...others]) await redis.client.set(key, "x");
  await store.forget("fra");
  assert.deepEqual((await redis.client.keys("*{fra*")).sort(), others.sort());
});

test("[RS15] what is stored of a removed object goes after a while; a reader that missed it sees the removal", async () => {
  const on = await openTestRedis({ url: server.url, realms: ["fra"], generation: "pruned" });
  await redis.client.flushall();
  await on.store.beginBuild("fra", "g");
  await on.store.finishBuild("fra", "g", { part: "rows", storedAtMs: 1 });
  const put = (ref: string, revision: number): RealmUpdate => ({
    kind: "change",
    change: { kind: "put", row: rowFor("fra", ref, { epoch: 1, revision }) },
  });
  await store.write(mergeUpdates("fra", [put("a", 1), put("b", 2)]));
  // A reader that reads only when it is told to.
  const model = memoryReadModel({
    generation: "1",
    history: { history: async () => ok({ records: [], nextPageToken: "" }) },
  });
  const reader = openRedisReplica({
    realms: ["fra"],
    redis: {
      ...on.redis,
      client: on.redis.client,
      run: (...call) => on.redis.run(...call),
      subscribe() {},
      onUp() {},
    },
    target: replicaTarget(model),
    clock: { ...systemClock, after: () => () => {} },
    log: { warn() {} },
    onLiveness() {},
    onStateChange() {},
    onLoss() {},
    onDamage() {},
  });
  await reader.refresh();
  assert.equal(model.size, 2);
  await store.write(
    mergeUpdates("fra", [
      { kind: "change", change: { kind: "drop", realm: "fra", key: keyOf("a"), epoch: 1, revision: 3 } },
      put("c", 4),
    ]),
  );
  const { versions, changes, removed } = realmKeys(testCentre, "fra");
  await store.pruneRemoved("fra", 3_600_000);
  assert.equal(await redis.client.hlen(versions), 3, "the removal is recent");
  await store.pruneRemoved("fra", 0);
  assert.deepEqual(
    [await redis.client.hlen(versions), await redis.client.zcard(changes), await redis.client.exists(removed)],
    [2, 2, 0],
  );
  await reader.refresh();
  const status = await model.status({ ...everyRow, sort: { by: "name", reverse: false } });
  assert.deepEqual(status.ok && status.value.rows.map((row) => refOf(row.about.key)), ["b", "c"]);
  await on.close();
});

test("[RS15, RS16] data of a realm goes when no aggregator lists it, and not before", async () => {
  await redis.client.flushall();
  const written = updateOf({ ref: "a", epoch: 9, revision: 1 });
  for (const realm of ["fra", "ams"]) await store.write(mergeUpdates(realm, [written]));
  const open = (aggregator: string, ...realms: string[]) =>
    openRealmClaims({
      ...{ redis, store, clock: systemClock, log: { info() {}, warn() {} }, aggregator },
      realms: () => realms,
      isListed: (realm) => realms.includes(realm),
    });
  const keysOf = async (realm: string) => (await redis.client.keys(`rw:*{${realm}}*`)).length;
  const one = open("one", "fra", "ams");
  const two = open("two", "fra");
  await until("both claims", async () => (await redis.client.hlen(realmKeys(testCentre, "fra").listed)) === 2);
  assert.equal(await two.isListedElsewhere("ams"), true);
  assert.equal(await one.isListedElsewhere("ams"), false, "no other one lists it");
  one.claimNow();
  await store.write(mergeUpdates("ams", [written]));
  await until("claimed", async () => (await redis.client.hlen(realmKeys(testCentre, "ams").listed)) === 1);
  two.sweepNow();
  await until("a sweep", async () => (await two.isListedElsewhere("ams")) && (await keysOf("ams")) > 1);
  one.close();
  await store.claim("ams", "one", 0);
  await until("no key of ams remains", async () => {
    two.sweepNow();
    return (await keysOf("ams")) === 0;
  });
  assert.ok((await keysOf("fra")) > 0);
  two.close();
});

test("one aggregator holds the rebuild lock at a time, and only the holder releases it", async () => {
  await redis.client.flushall();
  const lock = await store.lockRebuild("one", 60_000);
  assert.ok(lock);
  assert.equal(await store.lockRebuild("two", 60_000), undefined);
  await lock.renew(120_000);
  await lock.release();
  const next = await store.lockRebuild("two", 60_000);
  assert.ok(next);
  await lock.release();
  assert.equal(await store.lockRebuild("three", 60_000), undefined);
});

test("[RS3] another server process is detected once", async () => {
  await redis.client.flushall();
  assert.deepEqual([await store.isNewServer(), await store.isNewServer()], [true, false]);
});
