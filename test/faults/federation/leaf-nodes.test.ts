import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startPrintedNats } from "@realmwatch/aggregator/commands/printed-nats.fixture";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import type { SpawnedServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect } from "nats";
import { call } from "../../run/call.ts";
import { type FaultProxy, openFaultProxy } from "../../run/fault-proxy.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const config = `hosts: {h1: {address: "a", ${passive}}, h2: {address: "a", ${passive}}}\n`;
const patient = { withinMs: 60_000, everyMs: 100 };

type LeafOptions = { readonly realm: "fra" | "ams"; readonly port: number; readonly jetStream: boolean };

type Realm = { readonly name: string; readonly freshness: string; readonly detail?: string };

/** The centre with the printed configuration and an aggregator, which leaf nodes reach through a proxy. */
async function startCentre(t: TestContext) {
  const leafPort = await freePort();
  const nats = await startPrintedNats(
    { realms: ["fra", "ams"], zones: [], accountPerRealm: false, leafNodes: true },
    `leafnodes { host: "127.0.0.1", port: ${leafPort} }`,
  );
  atEnd(t, () => nats[Symbol.asyncDispose]());
  const link = await openFaultProxy(t, leafPort);
  const aggregator = await startTestAggregator(t, {
    realms: `realms: {fra: unreachable_after: "8s", ams: unreachable_after: "8s"}\n`,
    flags: { "nats-url": nats.centreUrl() },
  });
  /** Starts a leaf node that logs in as its realm, as docs/how-to/nats.md shows it. */
  async function startLeaf({ realm, port, jetStream }: LeafOptions): Promise<SpawnedServer> {
    const remote = nats.realmUrl(realm).replace(/:\d+$/, `:${port}`);
    const path = join(tempFolder(t, "leaf"), "leaf.conf");
    const own = jetStream ? "jetstream { domain: site }\n" : "";
    writeFileSync(path, `${own}leafnodes { remotes: [{ url: "${remote}" }] }\n`);
    return startNats(t, ["-c", path, ...(jetStream ? [] : ["-js=false"])]);
  }
  return { aggregator, leafPort, link, startLeaf };
}

async function realmAt({ base }: TestProgram, name: string) {
  const { body } = await call(base, "QueryService/ListStatus", { realm: name });
  const realm = ((body["realms"] ?? []) as Realm[]).find((one) => one.name === name);
  const rows = (body["rows"] ?? []) as { object: { host: { name: string } }; status: string }[];
  return { ...realm, statuses: Object.fromEntries(rows.map(({ object, status }) => [object.host.name, status])) };
}

/** Waits until the aggregator calls the realm current, with the status of h1. */
async function untilCurrent(aggregator: TestProgram, name: string, h1: string): Promise<Partial<Realm>> {
  let seen: unknown;
  return until(
    `${name} is current with h1 ${h1}`,
    async () => {
      const realm = await realmAt(aggregator, name);
      seen = realm;
      return realm.freshness === "REALM_FRESHNESS_CURRENT" && realm.statuses["h1"] === h1 && realm;
    },
    { ...patient, seen: () => seen },
  );
}

const setStatus = (agent: TestProgram, status: string) =>
  sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name: "h1" } }, status });

const natsLineOf = async ({ base }: TestProgram): Promise<string> =>
  (await (await fetch(`${base}/readyz`)).text()).split("\n").find((line) => /nats/i.test(line)) ?? "";

const cut = (link: FaultProxy): void => {
  link.setLink({ cut: "both" });
  link.breakAll();
};

/** Opens the JetStream of a leaf node. */
async function jetStreamOf(t: TestContext, leaf: SpawnedServer) {
  const connection = await connect({ servers: leaf.url });
  atEnd(t, () => connection.close());
  return connection.jetstreamManager();
}

test("[FD56] rows and commands pass a leaf node without streams, also after its link was broken", async (t) => {
  const { aggregator, link, startLeaf } = await startCentre(t);
  const leaf = await startLeaf({ realm: "fra", port: link.port, jetStream: false });
  const agent = await startTestAgent(t, { config, realm: "fra", flags: { "nats-url": leaf.url } });
  await untilCurrent(aggregator, "fra", "STATUS_PENDING");
  await setStatus(agent, "STATUS_CRITICAL");
  await untilCurrent(aggregator, "fra", "STATUS_CRITICAL");
  const comment = { target: hostTarget("h1"), author: "ann", text: "over the leaf node" };
  const answer = await call(aggregator.base, "RealmCommandService/AddComment", { realm: "fra", request: comment });
  assert.ok(answer.ok, answer.message);
  // An accepted comment is in the row a moment later.
  await until(
    "the comment is in the agent's row",
    async () => JSON.stringify((await statusRows(agent.base))["h1"]).includes("over the leaf node"),
    patient,
  );

  cut(link);
  await setStatus(agent, "STATUS_OK");
  link.setLink({});
  await untilCurrent(aggregator, "fra", "STATUS_OK");
  // The next heartbeat takes back what the agent said of the broken link.
  await until("no problem is left", async () => (await realmAt(aggregator, "fra")).detail === undefined, patient);
  assert.doesNotMatch(agent.output(), /captures/);
});

test("[FD56] streams at a leaf node are named at both ends, and the rows that they swallowed are published again", async (t) => {
  const { aggregator, link, startLeaf } = await startCentre(t);
  const leaf = await startLeaf({ realm: "ams", port: link.port, jetStream: true });
  const manager = await jetStreamOf(t, leaf);
  const { problems } = await setUpStreams(manager, [stateStream, eventStream]);
  assert.deepEqual(problems, []);
  const agent = await startTestAgent(t, { config, realm: "ams", flags: { "nats-url": leaf.url } });
  await untilCurrent(aggregator, "ams", "STATUS_PENDING");
  const captured = /2 streams SVC_STATE capture .*leaf node has one of its own/;
  await until(
    "the realm's detail names the streams",
    async () => captured.test((await realmAt(aggregator, "ams")).detail ?? ""),
    patient,
  );
  assert.match(agent.output(), captured);
  assert.match(await natsLineOf(agent), captured);

  cut(link);
  const before = (await manager.streams.info("SVC_STATE")).state.last_seq;
  await setStatus(agent, "STATUS_CRITICAL");
  await until(
    "the leaf node acknowledges the row",
    async () => (await manager.streams.info("SVC_STATE")).state.last_seq > before,
    patient,
  );
  link.setLink({});
  await untilCurrent(aggregator, "ams", "STATUS_CRITICAL");

  for (const { name } of [stateStream, eventStream]) await manager.streams.delete(name);
  await agent.restart();
  assert.equal((await untilCurrent(aggregator, "ams", "STATUS_CRITICAL")).detail, undefined);
});
