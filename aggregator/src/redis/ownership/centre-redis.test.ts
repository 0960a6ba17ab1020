import assert from "node:assert/strict";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { startRedisCluster } from "../redis-cluster.fixture.ts";
import { ReconnectingRedis } from "../redis-connection.ts";
import { databaseOwnerKey } from "../redis-keys.ts";
import { type CentreRedis, openCentreRedis } from "./centre-redis.ts";

let server: SpawnedServer;
let admin: Redis;
before(async () => {
  server = await startRedisServer();
  admin = new Redis(server.url);
});
beforeEach(() => admin.flushall());
after(async () => {
  admin.disconnect();
  await server[Symbol.asyncDispose]();
});

const log = { info() {}, warn() {}, error() {} };
let opened = 0;

/** Opens the database as an aggregator does whose NATS says `identity`; empty while NATS is away. */
function open(t: TestContext, identity: string, { remembered = "", url = server.url } = {}) {
  const nats = { identity };
  const remembers: string[] = [];
  const redis = openCentreRedis({
    redis: new ReconnectingRedis({ url, clock: systemClock, log }),
    streamsIdentity: () => nats.identity,
    memory: { identity: remembered, remember: (text) => remembers.push(text) },
    aggregator: `aggregator-${++opened}`,
    clock: systemClock,
    log,
  });
  t.after(() => redis.close());
  return { redis, nats, remembers };
}
const usable = ({ redis }: { redis: CentreRedis }) =>
  until("the database is used", () => redis.unavailableReason() === "", { seen: redis.unavailableReason });
const refused = ({ redis }: { redis: CentreRedis }, why: RegExp) =>
  until("the database is refused", () => why.test(redis.unavailableReason()), { seen: redis.unavailableReason });

for (const kind of ["server", "cluster"] as const)
  test(`[FD90] a database in a ${kind} belongs to one centre: another one's aggregators neither read nor write it`, async (t) => {
    const cluster = kind === "cluster" ? await startRedisCluster(2) : undefined;
    t.after(() => cluster?.[Symbol.asyncDispose]());
    const at = { url: cluster?.nodes[0]?.url ?? server.url };
    const [one, two] = [open(t, "2026-01-01T00:00:00.1Z", at), open(t, "2026-01-01T00:00:00.1Z", at)];
    await Promise.all([usable(one), usable(two)]);
    const other = open(t, "2026-02-02T00:00:00.2Z", at);
    await refused(other, /belongs to another centre, whose stream SVC_STATE was made at 2026-01-01T00:00:00\.1Z, not/);
    assert.equal(other.redis.outage()?.kind, "owner");
    assert.throws(() => other.redis.client, /another centre/);
    await assert.rejects(other.redis.run({ lua: "return 1", sha: "" }, [], []), /another centre/);
    assert.deepEqual(
      [one.redis.unavailableReason(), one.redis.centre, two.remembers],
      ["", two.nats.identity, [two.nats.identity]],
    );
  });

test("[FD90] a centre whose streams were made anew keeps its database once all of its aggregators know", async (t) => {
  const [one, two] = [open(t, "old"), open(t, "old")];
  await Promise.all([usable(one), usable(two)]);
  let ups = 0;
  one.redis.onUp(() => {
    ups += 1;
  });
  one.nats.identity = "new";
  await refused(one, /another centre, whose stream SVC_STATE was made at old, not at new/);
  two.nats.identity = "new";
  await Promise.all([usable(one), usable(two)]);
  assert.deepEqual([one.redis.centre, two.redis.centre, ups], ["new", "new", 2]);
});

test("[FD90] a database that no aggregator of its centre has claimed for a minute is taken over", async (t) => {
  await admin.hset(databaseOwnerKey, { centre: "other", "until x": Date.now() + 60_000 });
  const one = open(t, "own");
  await refused(one, /another centre/);
  await admin.hset(databaseOwnerKey, "until x", Date.now() - 1);
  await usable(one);
  await admin.del(databaseOwnerKey);
  await admin.set(databaseOwnerKey, "of another type");
  await until("it is claimed again", async () => (await admin.type(databaseOwnerKey)) === "hash");
  assert.equal(await admin.hget(databaseOwnerKey, "centre"), "own");
});

test("[FD90] an emptied database stays with its centre", async (t) => {
  const one = open(t, "own");
  await usable(one);
  const other = open(t, "other");
  await refused(other, /another centre/);
  for (let times = 0; times < 2; times += 1) {
    await admin.flushall();
    await until("it is claimed", async () => (await admin.hget(databaseOwnerKey, "centre")) !== null);
    assert.equal(await admin.hget(databaseOwnerKey, "centre"), "own");
  }
});

test("[FD90] without NATS an aggregator uses the database of the centre that it remembers, and takes no other one", async (t) => {
  await usable(open(t, "own"));
  await usable(open(t, "", { remembered: "own" }));
  await refused(open(t, "", { remembered: "older" }), /another centre/);
  const fresh = open(t, "");
  await refused(fresh, /is not used: NATS has not said yet/);
  fresh.nats.identity = "own";
  await usable(fresh);
});
