import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import {
  type SpawnedServer,
  startNatsServer,
  startRedisServer,
} from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import * as subjects from "@realmwatch/shared/wire/nats/nats-subjects";
import { openTestRedis } from "../redis/redis.fixture.ts";
import { rebuildLockKey } from "../redis/redis-keys.ts";
import { openRebuilder } from "./rebuild.ts";

const log = { info() {}, warn() {}, error() {} };
const realms = ["eu", "us"];
const objectsPerRealm = 300;
let nats: SpawnedServer;
let redis: SpawnedServer;
before(async () => {
  [nats, redis] = await Promise.all([startNatsServer(), startRedisServer()]);
});
after(() => Promise.all([nats[Symbol.asyncDispose](), redis[Symbol.asyncDispose]()]));

test("[RS2, RS20, RS21, RS23] one realm is rebuilt from its own messages, under a lock that outlasts a slow write", async (t) => {
  const bus = openNatsBus({ url: nats.url, credsFile: "", name: "test", clock: systemClock, log });
  t.after(() => bus.close());
  const connection = await until("connected to NATS", () => bus.live());
  const manager = await connection.jetstreamManager();
  for (const { name, subjects: names } of [subjects.stateStream, subjects.eventStream])
    await manager.streams.add({ name, subjects: [...names] });
  const js = connection.jetstream();
  for (const realm of realms)
    for (let at = 0; at < objectsPerRealm; at++) {
      const row = rowFor(realm, `h${at}`);
      const data = toBinary(StateRowSchema, stateRowToProto(row, { realm, atMs: systemClock.now() }));
      await js.publish(subjects.stateSubject(realm, row.about.key), data);
    }
  const on = await openTestRedis({ url: redis.url, realms, generation: "g" });
  t.after(on.close);

  const clock = manualClock(systemClock.now());
  const held: (() => void)[] = [];
  let isBuilt = false;
  const received = connection.stats().inMsgs;
  const rebuilder = openRebuilder({
    bus,
    clock,
    log,
    store: {
      lockRebuild: (...lock) => on.store.lockRebuild(...lock),
      beginBuild: (...build) => on.store.beginBuild(...build),
      finishBuild: (...build) => on.store.finishBuild(...build),
      async write(batch) {
        await new Promise<void>((resolve) => held.push(resolve));
        await on.store.write(batch);
      },
    },
    mintToken: () => "token",
    realmsToRebuild: async () => (isBuilt ? [] : ["eu"]),
    historyRetentionMs: 1_000_000,
    onRebuilt: () => (isBuilt = true),
  });
  await until("a write is held", async () => {
    await clock.advance(0);
    return held.length > 0;
  });
  assert.deepEqual(
    [rebuilder.covers("eu", 1), rebuilder.covers("us", 1), rebuilder.covers("eu", 10_000)],
    [true, false, false],
  );
  await on.redis.client.pexpire(rebuildLockKey, 100_000);
  await clock.advance(10_000);
  await until("the lock is renewed", async () => (await on.redis.client.pttl(rebuildLockKey)) <= 30_000);
  await until("the realm is built", () => {
    for (const release of held.splice(0)) release();
    return isBuilt;
  });
  assert.equal(rebuilder.covers("eu", 1), false);
  await until("the realm is loaded", () => on.replica.state("eu") === "loaded");
  assert.equal(on.model.size, objectsPerRealm);
  assert.ok(connection.stats().inMsgs - received < 1.5 * objectsPerRealm, `${connection.stats().inMsgs - received}`);
  await Promise.all([rebuilder.close(), clock.advance(1_000)]);
});

test("[RS22] the rows of a realm that is not complete in Redis are not read", async (t) => {
  const on = await openTestRedis({ url: redis.url, realms: ["de"], generation: "g2" });
  t.after(on.close);
  await until("de is missing", () => on.replica.state("de") === "missing");
  await on.redis.client.config("RESETSTAT");
  const changes = Array.from({ length: 50 }, (_, at) => ({ kind: "put" as const, row: rowFor("de", `h${at}`) }));
  await on.store.beginBuild("de", "b");
  await on.store.write({ realm: "de", changes, completeEpoch: undefined, catalogParts: [], records: [] });
  await on.replica.refresh();
  const statistics = await on.redis.client.info("commandstats");
  assert.match(statistics, /cmdstat_hmget/);
  assert.doesNotMatch(statistics, /cmdstat_zrangebyscore/);
  await on.store.finishBuild("de", "b", { part: "rows", storedAtMs: undefined });
  await until("de is loaded", () => on.replica.state("de") === "loaded");
  assert.equal(on.model.size, changes.length);
});
