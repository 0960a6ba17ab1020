import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { startNats, startRedis, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { hostAt, metricAt, passiveHosts, readinessOf, setHost, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const hosts = 20;

test("[RS13] an evicting Redis is refused in /readyz; a full one makes realms behind until there is room", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t, ["--maxmemory-policy", "allkeys-lru"])]);
  const client = new Redis(redis.url);
  atEnd(t, () => client.disconnect());
  const flags = { "nats-url": nats.url };
  const [centre, agent] = await Promise.all([
    startTestAggregator(t, { realms: "realms: fra: {}\n", flags: { ...flags, "redis-url": redis.url } }),
    startTestAgent(t, { config: passiveHosts(hosts), realm: "fra", flags }),
  ]);
  await untilRealmIs(centre, { realm: "fra", freshness: "CURRENT", rows: hosts });

  const refused = await until("the policy is refused", async () => {
    const redisLine = await readinessOf(centre, "redis");
    return redisLine.status === 503 ? redisLine : undefined;
  });
  assert.match(refused.detail, /maxmemory-policy of Redis at \S+ is allkeys-lru.*set maxmemory-policy to noeviction/);
  assert.equal(await metricAt(centre, 'realmwatch_redis_problem{problem="policy"}'), 1);
  await client.config("SET", "maxmemory-policy", "noeviction");
  await until("ready", async () => (await readinessOf(centre, "redis")).status === 200);
  // [PT30] A page is up to a second old.
  const isPolicyRefused = () => metricAt(centre, 'realmwatch_redis_problem{problem="policy"}');
  await until("no problem is counted", async () => (await isPolicyRefused()) === 0);

  await client.config("SET", "maxmemory", "1");
  await setHost(agent, "h1", "CRITICAL", "while Redis is full");
  const behind = await untilRealmIs(centre, { realm: "fra", freshness: "BEHIND" });
  assert.match(behind.detail ?? "", /Redis is full: OOM/);
  assert.equal((await hostAt(centre, "fra", "h1"))?.stale, true);
  const full = await readinessOf(centre, "redis");
  assert.equal(full.status, 503);
  assert.match(full.detail, /full/);
  assert.equal(await metricAt(centre, 'realmwatch_redis_problem{problem="full"}'), 1);

  await client.config("SET", "maxmemory", "0");
  await until(
    "the row is shown",
    async () => (await hostAt(centre, "fra", "h1"))?.status === "STATUS_CRITICAL",
    withinAMinute,
  );
  await untilRealmIs(centre, { realm: "fra", freshness: "CURRENT", rows: hosts });
  await until("ready", async () => (await readinessOf(centre, "redis")).status === 200, withinAMinute);
  assert.match(centre.output(), /"kind":"full"/);
});

test("[RS10] a wrong password of Redis shows in /readyz, the log and the metric", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t, ["--requirepass", "right"])]);
  const url = redis.url.replace("redis://", "redis://:wr0ng-secret@");
  const centre = await startTestAggregator(t, {
    realms: "realms: fra: {}\n",
    flags: { "nats-url": nats.url },
    env: { REALMWATCH_REDIS_URL: url },
  });
  const line = await until("the login is refused", async () => {
    const redisLine = await readinessOf(centre, "redis");
    return redisLine.detail.includes("login") ? redisLine : undefined;
  });
  assert.equal(line.status, 503);
  assert.match(line.detail, /refuses the login: WRONGPASS/);
  assert.equal(await metricAt(centre, 'realmwatch_redis_problem{problem="login"}'), 1);
  assert.match(centre.output(), /Redis: the login is refused/);
  assert.doesNotMatch(centre.output() + line.detail, /wr0ng/);
});

test("[FD93] a Redis whose ACL lacks a command is refused in /readyz, which names it, until it is permitted", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const client = new Redis(redis.url);
  atEnd(t, () => client.disconnect());
  await client.call("ACL", "SETUSER", "rw", "on", ">pw", "~rw:*", "&rw:*", "+@all", "-evalsha");
  const [centre] = await Promise.all([
    startTestAggregator(t, {
      realms: "realms: fra: {}\n",
      flags: { "nats-url": nats.url },
      env: { REALMWATCH_REDIS_URL: redis.url.replace("//", "//rw:pw@") },
    }),
    startTestAgent(t, { config: passiveHosts(1), realm: "fra", flags: { "nats-url": nats.url } }),
  ]);
  const line = await until("the command is named", async () => {
    const redisLine = await readinessOf(centre, "redis");
    return redisLine.detail.includes("EVALSHA") ? redisLine : undefined;
  });
  assert.equal(line.status, 503);
  assert.match(line.detail, /Redis at \S+ refuses to run EVALSHA: permit them in the ACL of the user/);
  assert.equal(await metricAt(centre, 'realmwatch_redis_problem{problem="commands"}'), 1);
  await client.call("ACL", "SETUSER", "rw", "+evalsha");
  await until("ready", async () => (await readinessOf(centre, "redis")).status === 200, withinAMinute);
  await untilRealmIs(centre, { realm: "fra", freshness: "CURRENT", rows: 1 });
});
