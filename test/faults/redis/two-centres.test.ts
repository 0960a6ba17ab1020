import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { Redis } from "ioredis";
import { connect } from "nats";
import { call } from "../../run/call.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import {
  findRealmAt,
  hostAt,
  metricAt,
  passiveHosts,
  readinessOf,
  setHost,
  storedKeys,
  untilRealmIs,
} from "./redis-faults.ts";

const realms = "realms: fra: {}\n";

test("[FD90, FD61] a second centre with another NATS on the same Redis is refused; streams made anew take it over", async (t) => {
  const [ownNats, otherNats, redis] = await Promise.all([startNats(t), startNats(t), startRedis(t)]);
  const client = new Redis(redis.url);
  atEnd(t, () => client.disconnect());
  const startCentre = (nats: { readonly url: string }) =>
    startTestAggregator(t, { realms, flags: { "nats-url": nats.url, "redis-url": redis.url } });
  const startRealm = (nats: { readonly url: string }, hosts: number) =>
    startTestAgent(t, { config: passiveHosts(hosts), realm: "fra", flags: { "nats-url": nats.url } });
  const [own, agent] = await Promise.all([startCentre(ownNats), startRealm(ownNats, 3)]);
  await untilRealmIs(own, { realm: "fra", freshness: "CURRENT", rows: 3 });
  const stored = await storedKeys(client, "fra");

  const [other] = await Promise.all([startCentre(otherNats), startRealm(otherNats, 5)]);
  const line = await until("the database is refused", async () => {
    const redisLine = await readinessOf(other, "redis");
    return redisLine.detail.includes("another centre") ? redisLine : undefined;
  });
  assert.equal(line.status, 503);
  assert.match(line.detail, /belongs to another centre, whose stream SVC_STATE was made at 20\S+Z, not at 20/);
  assert.equal(await metricAt(other, 'realmwatch_redis_problem{problem="owner"}'), 1);
  const refused = await call(other.base, "QueryService/ListStatus");
  assert.deepEqual([refused.ok, refused.code], [false, "unavailable"]);
  assert.match(refused.message, /belongs to another centre/);

  // Updates go on at the one centre, and no row is added by the other one.
  for (const [at, status] of (["CRITICAL", "OK", "CRITICAL"] as const).entries()) {
    await setHost(agent, "h1", status, `update ${at}`);
    await until("the update is shown", async () => (await hostAt(own, "fra", "h1"))?.output === `update ${at}`);
  }
  const realm = await findRealmAt(own, "fra");
  assert.deepEqual([realm?.freshness, realm?.rowsHeld, realm?.rowsExpected], ["REALM_FRESHNESS_CURRENT", 3, 3]);
  assert.equal((await readinessOf(own, "redis")).status, 200);
  const names = (await client.keys("*{fra}*")).sort();
  assert.deepEqual(
    names.filter((name) => !Object.values<string>(stored).includes(name)),
    [],
  );
  await other.stop("SIGKILL");

  const nats = await connect({ servers: ownNats.url });
  await (await nats.jetstreamManager()).streams.delete(stateStream.name);
  await nats.close();
  await until("the streams are made anew", async () => (await storedKeys(client, "fra")).rows !== stored.rows, {
    withinMs: 60_000,
  });
  await until(
    "the rows are filled again",
    async () => (await client.hlen((await storedKeys(client, "fra")).rows)) === 3,
    {
      withinMs: 120_000,
    },
  );
  await untilRealmIs(own, { realm: "fra", freshness: "CURRENT", rows: 3 });
  assert.equal((await hostAt(own, "fra", "h1"))?.status, "STATUS_CRITICAL");
});
