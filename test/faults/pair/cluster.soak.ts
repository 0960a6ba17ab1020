import assert from "node:assert/strict";
import { test } from "node:test";
import { startNatsCluster } from "@realmwatch/aggregator/ingest/nats-cluster.fixture";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { centreStreams, leaseStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type JetStreamManager } from "nats";
import { type FaultProxy, openFaultProxy } from "../../run/fault-proxy.ts";
import { judgedUnderLoad } from "./judged-under-load.ts";
import { cutLink, healthy, startPair } from "./pair-environment.ts";
import { isActive, pairAt, patienceMs, untilPair } from "./pair-member.ts";

const withinPatience = { withinMs: patienceMs };

/** Starts three servers whose routes can be cut, with all streams on each of them. */
async function startCutCluster(scope: TestScope) {
  const routes: { readonly ends: readonly string[]; readonly proxy: FaultProxy }[] = [];
  const cluster = await startNatsCluster(3, async ({ from, to, port }) => {
    const proxy = await openFaultProxy(scope, port);
    routes.push({ ends: [from, to], proxy });
    return proxy.port;
  });
  atEnd(scope, () => cluster[Symbol.asyncDispose]());
  const ask = async <T>(question: (jsm: JetStreamManager) => Promise<T>): Promise<T> => {
    const connection = await connect({ servers: cluster.url.split(","), timeout: 2_000 });
    try {
      return await question(await connection.jetstreamManager());
    } finally {
      await connection.close();
    }
  };
  const isWhole = () =>
    ask(async (jsm) => {
      const { cluster: group, config } = await jsm.streams.info(leaseStream.name);
      const replicas = group?.replicas ?? [];
      return config.num_replicas === 3 && replicas.length === 2 && replicas.every(({ current }) => current);
    });
  await until("the streams have three replicas", async () => {
    const { problems } = await ask((jsm) => setUpStreams(jsm, centreStreams));
    return problems.length === 0 && isWhole();
  });
  return {
    ...cluster,
    leader: () => ask(async (jsm) => (await jsm.streams.info(leaseStream.name)).cluster?.leader ?? ""),
    isWhole: () => until("all servers have the lease", isWhole, withinPatience),
    /** Cuts a server off from the two others. */
    cutOff(name: string): void {
      for (const { ends, proxy } of routes) if (ends.includes(name)) proxy.setLink({ cut: "both" });
    },
    heal(): void {
      for (const { proxy } of routes) proxy.setLink({});
    },
  };
}

type CutCluster = Awaited<ReturnType<typeof startCutCluster>>;
const serverOf = ({ servers }: CutCluster, name: string) => {
  const server = servers.get(name);
  if (server === undefined) throw new Error(`the cluster has no server ${name}`);
  return server;
};

test("[PA1, PA2, PA20, PA30] a pair whose NATS is a cluster of three survives each of its servers", async (t) => {
  const cluster = await startCutCluster(t);
  const pair = await startPair(t, { nats: serverOf(cluster, "n1"), clusterUrl: cluster.url });
  const current = async () => {
    const { active, standby } = await healthy(pair);
    return { active, standby, term: (await pairAt(active.program)).term };
  };
  await judgedUnderLoad(t, pair, async (load) => {
    const worked = async (): Promise<void> => {
      const count = load.record.results.length;
      await until("commands are accepted", () => load.record.results.length > count + 5, withinPatience);
    };
    for (const name of cluster.servers.keys()) {
      const before = await current();
      await serverOf(cluster, name).stop("SIGKILL");
      await worked();
      await serverOf(cluster, name).restart();
      await cluster.isWhole();
      const after = await current();
      assert.deepEqual([after.active.name, after.term], [before.active.name, before.term], `${name} killed`);
    }

    // Without the link, the lease alone gives the right: it may end while another server is elected, and comes back.
    const before = await current();
    cutLink(pair);
    await untilPair("is alone", before.active, ({ inSync }) => !inSync);
    const leader = await cluster.leader();
    await serverOf(cluster, leader).stop("SIGKILL");
    await until("another server leads", async () => ![leader, ""].includes(await cluster.leader()), withinPatience);
    await untilPair("has its lease", before.active, (seen) => isActive(seen) && "leaseRemainingMs" in seen);
    await serverOf(cluster, leader).restart();
    pair.healLinks();
    await cluster.isWhole();
    assert.equal((await current()).term, before.term);

    // The active member and the server that leads the lease, at once.
    const { active, standby } = await current();
    await Promise.all([serverOf(cluster, await cluster.leader()).stop("SIGKILL"), active.program.stop("SIGKILL")]);
    await untilPair("is active", standby, isActive);
    for (const server of cluster.servers.values()) await server.restart();
    await active.program.restart();
    await cluster.isWhole();

    const restarted = await current();
    await Promise.all([...cluster.servers.values()].map((server) => server.stop("SIGKILL")));
    await untilPair("has no lease", restarted.active, (seen) => isActive(seen) && !("leaseRemainingMs" in seen));
    await Promise.all([...cluster.servers.values()].map((server) => server.restart()));
    await cluster.isWhole();
    assert.equal((await current()).term, restarted.term);
  });
});

test("[PA1, PA2, PA16] of a pair in a cut cluster the member on the side of two servers acts", async (t) => {
  const cluster = await startCutCluster(t);
  const [one, two] = [serverOf(cluster, "n1"), serverOf(cluster, "n2")];
  const pair = await startPair(t, {
    ...{ nats: serverOf(cluster, "n3"), clusterUrl: cluster.url },
    flags: [{ "nats-url": one.url }, { "nats-url": two.url }],
  });
  const nameOf = (member: string): string => (member === "fra-a" ? "n1" : "n2");
  await judgedUnderLoad(t, pair, async () => {
    for (let count = 0; count < 4; count++) {
      const { active, standby } = await healthy(pair);
      const { term } = await pairAt(active.program);
      // With the link, the promise keeps the member that only one server can hear.
      cluster.cutOff(nameOf(active.name));
      await untilPair("has no lease", active, (seen) => isActive(seen) && !("leaseRemainingMs" in seen));
      cluster.heal();
      assert.equal((await pairAt((await healthy(pair)).active.program)).term, term);

      cluster.cutOff(nameOf(active.name));
      cutLink(pair);
      await untilPair("is active", standby, isActive);
      await untilPair("is held", active, ({ role }) => role === "PAIR_ROLE_HELD");
      cluster.heal();
      pair.healLinks();
      assert.equal((await healthy(pair)).active.name, standby.name);

      // The side of the standby is the smaller one: nothing happens but that it has no lease to read.
      const other = await healthy(pair);
      cluster.cutOff(nameOf(other.standby.name));
      cutLink(pair);
      await untilPair("is alone", other.active, ({ inSync }) => !inSync);
      assert.ok(!isActive(await pairAt(other.standby.program)));
      cluster.heal();
      pair.healLinks();
      assert.equal((await healthy(pair)).active.name, other.active.name);
    }
  });
});
