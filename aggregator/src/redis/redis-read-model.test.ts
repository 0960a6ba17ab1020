import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import { type SpawnedServer, startRedisServer } from "@realmwatch/shared/platform/process/spawned-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { readModelContract } from "@realmwatch/shared/read-model/contract/read-model.contract";
import { everyRow, rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { Redis } from "ioredis";
import { quietLog, openTestRedis, until } from "./redis.fixture.ts";
import { openRedisReplica } from "./redis-replica.ts";

let server: SpawnedServer;
before(async () => {
  server = await startRedisServer();
});
after(() => server[Symbol.asyncDispose]());

const realms = ["eu", "us"];
const nothing = { changes: [], completeEpoch: undefined, catalog: undefined, records: [] };

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
    assert.ok(await store.finishBuild(realm, token, { what: "rows", storedAtMs: 7 }));
  }
}
async function refsOf({ model }: Opened): Promise<string[]> {
  const answer = await model.status({ ...everyRow, sort: { by: "name", reverse: false } });
  assert.ok(answer.ok);
  return answer.value.rows.map((row) => refOf(row.about.key));
}
const put = ({ store }: Opened, ...rows: ReturnType<typeof rowFor>[]) =>
  store.write({ ...nothing, realm: rows[0]?.realm ?? "", changes: rows.map((row) => ({ kind: "put", row })) });

readModelContract("redis", async () => {
  const on = await open({ fresh: true });
  const { model, mirror, store } = on;
  await build(on);
  await until(() => realms.every((realm) => mirror.state(realm) === "loaded"));
  let version = 0;
  return {
    model,
    async apply(changes) {
      for (const realm of realms) {
        const own = changes.filter((change) => (change.kind === "put" ? change.row.realm : change.realm) === realm);
        await store.write({ ...nothing, realm, changes: own });
      }
      await mirror.refresh();
    },
    async dropRealmRowsBelow(realm, epoch) {
      await store.write({ ...nothing, realm, completeEpoch: epoch });
      await mirror.refresh();
    },
    async setCatalog(catalog) {
      const stamped = { epoch: 1, revision: ++version, catalog };
      await store.write({ ...nothing, realm: catalog.realm, catalog: stamped });
      await mirror.refresh();
    },
    setRealms: async (views) => model.setRealms(() => views),
    async record(records) {
      for (const realm of realms)
        await store.write({ ...nothing, realm, records: records.filter((record) => record.realm === realm) });
    },
    close: on.close,
  };
});

test("a change shows in every aggregator's memory without waiting for a poll", async () => {
  const one = await open({ fresh: true });
  const other = await open();
  await build(one);
  await until(() => other.mirror.state("eu") === "loaded");
  await put(one, rowFor("eu", "web1"));
  await until(async () => (await refsOf(other)).includes("web1"));
  await Promise.all([one.close(), other.close()]);
});

test("[F33] an emptied Redis shows as missing until it is rebuilt; what did not come back is gone then", async () => {
  const on = await open({ fresh: true });
  await build(on);
  await put(on, rowFor("eu", "web1"), rowFor("eu", "web2"));
  await until(() => on.mirror.state("eu") === "loaded");
  await on.redis.client.flushall();
  await put(on, rowFor("eu", "web1"));
  await until(() => on.mirror.state("eu") === "missing");
  await build(on);
  await until(() => on.mirror.state("eu") === "loaded");
  assert.deepEqual(await refsOf(on), ["web1"]);
  await on.close();
});

test("[F33] a rebuild that was emptied half way does not count", async () => {
  const on = await open();
  await on.store.beginBuild("eu", "g");
  await on.redis.client.flushall();
  assert.equal(await on.store.finishBuild("eu", "g", { what: "rows", storedAtMs: undefined }), false);
  await on.close();
});

test("[F34] a Redis that lost confirmed writes is noticed, and missing until it is rebuilt", async () => {
  const on = await open({ fresh: true });
  await build(on);
  await put(on, rowFor("eu", "web1"), rowFor("eu", "web2"));
  await until(() => on.mirror.state("eu") === "loaded");
  await until(async () => (await refsOf(on)).length === 2);
  const keys = { rows: "rw:{eu}:rows", versions: "rw:{eu}:versions", changes: "rw:{eu}:changes", meta: "rw:{eu}:meta" };
  await on.redis.client.hdel(keys.rows, "web2");
  await on.redis.client.hdel(keys.versions, "web2");
  await on.redis.client.zrem(keys.changes, "web2");
  await on.redis.client.hset(keys.meta, "counter", "1");
  await until(() => on.lost.includes("eu"));
  await until(() => on.mirror.state("eu") === "missing");
  await put(on, rowFor("eu", "web2"));
  await build(on);
  await until(() => on.mirror.state("eu") === "loaded");
  assert.deepEqual(await refsOf(on), ["web1", "web2"]);
  await on.close();
});

test("[F33] with Redis away trouble names it and commands fail fast; it comes back by itself", async () => {
  const on = await open();
  await server.stop("SIGKILL");
  await until(() => on.redis.unavailableReason() !== "");
  assert.match(on.redis.unavailableReason(), /Redis at 127\.0\.0\.1:\d+ is away/);
  await assert.rejects(put(on, rowFor("eu", "web1")));
  await server.restart();
  await until(() => on.redis.unavailableReason() === "");
  await until(() => on.mirror.state("eu") !== "loaded");
  await on.close();
});

test("[F33] a Redis that hangs counts as away", async () => {
  const on = await open();
  process.kill(server.pid, "SIGSTOP");
  await assert.rejects(put(on, rowFor("eu", "web1")), /timed out|closed/i);
  await until(() => on.redis.unavailableReason() !== "");
  process.kill(server.pid, "SIGCONT");
  await until(() => on.redis.unavailableReason() === "");
  await on.close();
});

test("a sighting is kept for whoever starts later", async () => {
  const on = await open();
  await build(on);
  const told = { heartbeatMonotonicMs: 5, clockSkewMs: 3, instance: "a", epoch: 4, revision: 2, storedAtMs: undefined };
  await on.store.storeLiveness("eu", { ...told, heartbeatAtMs: 100 });
  await on.store.storeLiveness("eu", { ...told, heartbeatAtMs: 90, epoch: 3 });
  const seen = await new Promise((resolve) => {
    const { redis } = on;
    openRedisReplica({
      realms: ["eu"],
      redis,
      target: on.model,
      clock: { ...systemClock, after: () => () => {} },
      log: quietLog,
      onLiveness: (_realm, sighting) => resolve(sighting),
      onStateChange() {},
      onLoss() {},
    });
  });
  assert.deepEqual(seen, { heartbeatAtMs: 100, clockSkewMs: 3, instance: "a", epoch: 4, revision: 2, storedAtMs: 7 });
  await on.close();
});
