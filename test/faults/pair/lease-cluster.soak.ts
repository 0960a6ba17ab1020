import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsLeaseStore } from "@realmwatch/agent/pair/lease/nats-lease-store";
import { startNatsCluster } from "@realmwatch/aggregator/ingest/nats-cluster.fixture";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { centreStreams, leaseStream } from "@realmwatch/shared/wire/nats/nats-subjects";

/** Number of servers that are killed, one after the other. */
const kills = Number(process.env["LEASE_KILLS"] ?? 20);
const log = { info() {}, warn() {} };

test("[PA20] while servers of a cluster of three are killed, each lease that was written has replaced the one that it named", async () => {
  await using cluster = await startNatsCluster(3);
  const open = () => openNatsBus({ url: cluster.url, credsFile: "", name: "member", clock: systemClock, log });
  const buses = { "fra-a": open(), "fra-b": open() };
  const centre = open();
  await until("the streams have three replicas", async () => {
    const jsm = await centre.live()?.jetstreamManager();
    if (jsm === undefined) return false;
    const { problems } = await setUpStreams(jsm, centreStreams);
    return problems.length === 0 && (await jsm.streams.info(leaseStream.name)).config.num_replicas === 3;
  });
  const written: { readonly member: string; readonly expected: number; readonly seq: number }[] = [];
  const streams = new Set<string>();
  let unknown = 0;
  let isEnding = false;
  const contend = async (member: "fra-a" | "fra-b"): Promise<void> => {
    const store = new NatsLeaseStore({ bus: buses[member], realm: "fra", timeoutMs: 1_000 });
    while (!isEnding) {
      const read = await store.read();
      if (!read.ok) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      const { seq: expected, stream } = read.value;
      streams.add(stream);
      const lease = { member, instance: "i", term: 1, epoch: 1, inSync: true, goodbye: false, at: written.length };
      const writing = await store.write(lease, expected);
      if (writing.kind === "written") written.push({ member, expected, seq: writing.seq });
      else if (writing.kind === "unknown") unknown += 1;
    }
  };
  const contending = [contend("fra-a"), contend("fra-b")];
  const servers = [...cluster.servers.values()];
  for (let n = 0; n < kills; n++) {
    const before = written.length;
    await servers[n % servers.length]?.stop("SIGKILL");
    await until("leases are written by two servers", () => written.length > before + 20);
    await servers[n % servers.length]?.restart();
    await until("the servers have a common leader", () => cluster.hasMetaGroup());
  }
  isEnding = true;
  await Promise.all(contending);
  const replaced = written.map(({ expected }) => expected);
  assert.equal(new Set(replaced).size, replaced.length, "two leases have replaced one message");
  for (const { expected, seq } of written) assert.ok(seq > expected);
  assert.equal(new Set(written.map(({ seq }) => seq)).size, written.length);
  assert.equal(new Set(written.map(({ member }) => member)).size, 2);
  assert.equal(streams.size, 1, "the identity of the stream has changed");
  const last = await until("the lease is read", async () => {
    const read = await new NatsLeaseStore({ bus: centre, realm: "fra", timeoutMs: 1_000 }).read();
    return read.ok && read.value;
  });
  assert.ok(last.seq >= Math.max(...written.map(({ seq }) => seq)), "an acknowledged lease is lost");
  console.log(`${written.length} leases written, ${unknown} outcomes unknown, ${kills} servers killed`);
  await Promise.all([...Object.values(buses), centre].map((bus) => bus.close()));
});
