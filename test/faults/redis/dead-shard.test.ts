import assert from "node:assert/strict";
import { test } from "node:test";
import { startRedisCluster } from "@realmwatch/aggregator/redis/redis-cluster.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startNats, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { hostAt, metricAt, passiveHosts, readinessOf, setHost, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const hosts = 3;

type HistoryJson = {
  readonly records?: readonly { readonly realm: string }[];
  readonly unanswered?: readonly { readonly realm: string; readonly code: string; readonly message: string }[];
};

test("[RS12, FD77] a dead node of the cluster makes only its own realms stale, whose history the realms answer", async (t) => {
  const [nats, cluster] = await Promise.all([startNats(t), startRedisCluster(3)]);
  atEnd(t, () => cluster[Symbol.asyncDispose]());
  const names = ["ams", "ber", "fra", "lon", "nyc", "par", "rom", "zrh"];
  const owners = await Promise.all(names.map(cluster.nodeOf));
  const lost = names[0] ?? "";
  const living = names.find((_, at) => owners[at] !== owners[0]) ?? "";
  const flags = { "nats-url": nats.url };
  const centre = await startTestAggregator(t, {
    realms: `realms: {${lost}: {}, ${living}: {}}\n`,
    // One node is enough to find the others.
    flags: { ...flags, "redis-url": cluster.nodes[1]?.url ?? "" },
  });
  const [lostAgent, livingAgent] = await Promise.all(
    [lost, living].map((realm) => startTestAgent(t, { config: passiveHosts(hosts), realm, flags })),
  );
  assert.ok(lostAgent && livingAgent);
  for (const realm of [lost, living]) await untilRealmIs(centre, { realm, freshness: "CURRENT", rows: hosts });
  assert.equal((await readinessOf(centre, "redis")).status, 200);

  const node = cluster.nodes[owners[0] ?? -1];
  await node?.stop("SIGKILL");
  await Promise.all([setHost(lostAgent, "h0", "CRITICAL"), setHost(livingAgent, "h0", "CRITICAL")]);
  const isCritical = async (realm: string) => (await hostAt(centre, realm, "h0"))?.status === "STATUS_CRITICAL";
  await until("the living realm's row is shown", () => isCritical(living), { withinMs: 30_000 });
  const behind = await untilRealmIs(centre, { realm: lost, freshness: "BEHIND" });
  assert.match(behind.detail ?? "", /node of the Redis Cluster.*away|closed|timed out/);
  const row = await hostAt(centre, lost, "h0");
  assert.deepEqual([row?.status, row?.stale], ["STATUS_PENDING", true], "the last known row");
  await untilRealmIs(centre, { realm: living, freshness: "CURRENT", rows: hosts });
  const ready = await readinessOf(centre, "redis");
  assert.deepEqual([ready.status, ready.ok], [200, false]);
  assert.match(
    ready.detail,
    new RegExp(`nodes of the Redis Cluster are away: 127\\.0\\.0\\.1:${node?.port};.*${lost}`),
  );
  assert.equal(await metricAt(centre, 'realmwatch_redis_problem{problem="node"}'), 1);
  assert.ok((await call(centre.base, "QueryService/ListStatus")).ok);
  // [FD77] The realm itself has the history that cannot be read from Redis.
  const history = await call(centre.base, "QueryService/ListHistory");
  assert.ok(history.ok, history.message);
  const { records = [], unanswered = [] } = history.body as unknown as HistoryJson;
  assert.deepEqual([...new Set(records.map(({ realm }) => realm))].sort(), [living, lost].sort());
  assert.deepEqual(unanswered, []);

  // A row of the living realms shows as before while the other one fails.
  await setHost(livingAgent, "h1", "CRITICAL");
  await until("another row", async () => (await hostAt(centre, living, "h1"))?.status === "STATUS_CRITICAL");

  await node?.restart();
  await until("the lost realm's row is shown", () => isCritical(lost), withinAMinute);
  await untilRealmIs(centre, { realm: lost, freshness: "CURRENT", rows: hosts });
  await until("the history of all realms is answered", async () => {
    const { body, ok } = await call(centre.base, "QueryService/ListHistory");
    const { records = [], unanswered = [] } = body as unknown as HistoryJson;
    return ok && unanswered.length === 0 && records.some(({ realm }) => realm === lost);
  });
  await until("all is well", async () => (await readinessOf(centre, "redis")).ok === true, withinAMinute);
});
