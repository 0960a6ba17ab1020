import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startNatsCluster } from "@realmwatch/aggregator/ingest/nats-cluster.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type JetStreamManager } from "nats";
import {
  spawnProgram,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
} from "../../run/processes.ts";
import { findRealmAt, hostAt, passiveHosts, setHost, untilRealmIs } from "../redis/redis-faults.ts";

/** Time within which results are shown and the realm is current after the death of a server. */
const recoversWithinMs = 30_000;
const hosts = 3;
const realms = "realms: fra: {}\n";

/** Runs `nats-setup` until it succeeds: JetStream may not answer while servers elect the leader of a stream. */
const setUpStreamsBy = (url: string, replicas: number): Promise<unknown> =>
  until(`nats-setup -nats-replicas ${replicas} succeeds`, async () => {
    const child = spawnProgram("aggregator", ["nats-setup", "-nats-url", url, "-nats-replicas", String(replicas)]);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data: Buffer) => {
        output += data;
      });
    const [code] = await once(child, "close");
    assert.equal(code, 0, output);
    return true;
  });

const replicasOf = (jsm: JetStreamManager): Promise<readonly number[]> =>
  Promise.all([stateStream, eventStream].map(async ({ name }) => (await jsm.streams.info(name)).config.num_replicas));

async function untilShown(aggregator: TestProgram, output: string): Promise<void> {
  const seen = async () => ({
    row: (await hostAt(aggregator, "fra", "h1"))?.output,
    realm: await findRealmAt(aggregator, "fra"),
  });
  let last: unknown;
  await until(
    `${aggregator.base} shows "${output}", and the realm is current`,
    async () => {
      const { row, realm } = await seen();
      last = { row, realm };
      return row === output && realm?.freshness === "REALM_FRESHNESS_CURRENT";
    },
    { withinMs: recoversWithinMs, everyMs: 100, seen: () => [last, aggregator.output().slice(-2_000)] },
  );
}

test("[FD62] each of three NATS servers dies in turn: results reach aggregators with and without Redis within 30 s", {
  timeout: 300_000,
}, async (t) => {
  const cluster = await startNatsCluster(3);
  atEnd(t, () => cluster[Symbol.asyncDispose]());
  const servers = cluster.url.split(",");
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 200 });
  atEnd(t, () => connection.close());
  await until("the servers have a leader", () => cluster.hasMetaGroup());
  const jsm = await until("JetStream answers", () => connection.jetstreamManager({ timeout: 2_000 }));
  const flags = { "nats-url": cluster.url };

  const untilReplicas = (replicas: number) =>
    until(`${replicas} replicas`, async () => (await replicasOf(jsm)).every((count) => count === replicas));
  // Neither 1 nor 2 is what a cluster of three gets without the flag.
  await setUpStreamsBy(cluster.url, 1);
  await untilReplicas(1);
  const inMemory = await startTestAggregator(t, { realms, flags: { ...flags, "nats-replicas": 2 } });
  await untilReplicas(2);
  await setUpStreamsBy(cluster.url, 3);
  await untilReplicas(3);

  const redis = await startRedis(t);
  const [inRedis, agent] = await Promise.all([
    startTestAggregator(t, { realms, flags: { ...flags, "nats-replicas": 3, "redis-url": redis.url } }),
    startTestAgent(t, { config: passiveHosts(hosts), realm: "fra", flags }),
    inMemory.restart({ "nats-replicas": 3 }),
  ]);
  const aggregators = [inMemory, inRedis];
  for (const aggregator of aggregators)
    await untilRealmIs(aggregator, { realm: "fra", freshness: "CURRENT", rows: hosts });

  /** Roles of the servers now: the leader of the state stream, and those to which programs are connected. */
  const rolesNow = async (): Promise<readonly (readonly [role: string, server: string])[]> => {
    const leader = (await jsm.streams.info(stateStream.name)).cluster?.leader ?? assert.fail("no leader");
    const clients = ["realmwatch-agent fra", "realmwatch-aggregator"];
    const connected = await Promise.all(clients.map((client) => cluster.serversOf(client)));
    return [
      ["leader", leader],
      ...clients.flatMap((client, n) => (connected[n] ?? []).map((at) => [client, at] as const)),
    ];
  };
  const rolesOfDead = new Set<string>();
  const waiting = new Set(cluster.servers.keys());
  while (waiting.size > 0) {
    await until("each stream has three current replicas", () => cluster.hasWholeStreams(jsm), { everyMs: 200 });
    const roles = await until("the leader of the state stream is known", rolesNow);
    const [victim = ""] = [...roles.map(([, at]) => at), ...waiting].filter((name) => waiting.has(name));
    waiting.delete(victim);
    for (const [role, at] of roles) if (at === victim) rolesOfDead.add(role);
    const startedMs = performance.now();
    const server = cluster.servers.get(victim);
    await server?.stop("SIGKILL");
    const output = `while ${victim} is dead`;
    await setHost(agent, "h1", "CRITICAL", output);
    await Promise.all(aggregators.map((aggregator) => untilShown(aggregator, output)));
    t.diagnostic(`${victim} is dead: shown after ${Math.round(performance.now() - startedMs)} ms`);
    await server?.restart();
  }
  assert.deepEqual([...rolesOfDead].sort(), ["leader", "realmwatch-agent fra", "realmwatch-aggregator"]);
  await untilReplicas(3);
});
