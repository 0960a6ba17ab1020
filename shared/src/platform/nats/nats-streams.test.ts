import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect, DiscardPolicy, type JetStreamManager, type NatsConnection, type NatsError } from "nats";
import { eventStream, stateStream } from "../../wire/nats/nats-subjects.ts";
import { systemClock } from "../system-clock.ts";
import { freePort } from "../testing/free-port.fixture.ts";
import { type SpawnedServer, startNatsServer } from "../testing/spawned-server.fixture.ts";
import { findForeignStreams } from "./foreign-streams.ts";
import { setUpStreams } from "./nats-streams.ts";

const plans = [stateStream, eventStream];
const mib = 1024 ** 2;

async function open(server: SpawnedServer) {
  const connection = await connect({ servers: server.url });
  after(() => connection.close());
  return { connection, jsm: await connection.jetstreamManager() };
}
const sizeOf = async (jsm: JetStreamManager, name: string): Promise<number> =>
  (await jsm.streams.info(name)).config.max_bytes;

/** A nats-server with limited storage for JetStream. */
function startSmallServer(mebibytes: number): Promise<SpawnedServer> {
  const path = join(tmpdir(), `realmwatch-nats-${process.pid}-${mebibytes}.conf`);
  writeFileSync(path, `jetstream { max_file_store: ${mebibytes * mib} }\n`);
  return startNatsServer(["-c", path]);
}

test("[NB2] missing streams are created with their planned settings; a second set-up changes nothing", async () => {
  await using server = await startNatsServer();
  const { connection, jsm } = await open(server);
  const made = await setUpStreams(jsm, plans);
  assert.deepEqual(made.problems, []);
  assert.match(made.changes.join("\n"), /SVC_STATE created: 2048 MiB, 1 replica\n.*SVC_EVENTS created: 2048 MiB/);
  const { config } = await jsm.streams.info("SVC_STATE");
  assert.deepEqual([config.discard, config.max_msgs_per_subject], [DiscardPolicy.New, 1]);
  assert.equal((await jsm.streams.info("SVC_EVENTS")).config.discard, DiscardPolicy.Old);
  assert.deepEqual(await setUpStreams(jsm, plans), { changes: [], problems: [] });
  await connection.close();
});

for (const [mebibytes, least] of [
  [64, 16],
  [32, 16],
  [1024, 300],
] as const)
  test(`both streams are created with ${mebibytes} MiB of storage, and leave some free`, async () => {
    await using server = await startSmallServer(mebibytes);
    const { connection, jsm } = await open(server);
    assert.deepEqual((await setUpStreams(jsm, plans)).problems, []);
    for (const { name } of plans) {
      const bytes = await sizeOf(jsm, name);
      assert.ok(bytes >= least * mib && bytes <= Math.max(16 * mib, 0.4 * mebibytes * mib), `${name} has ${bytes}`);
    }
    await connection.close();
  });

test("an account's limit is shared by both streams", async () => {
  const path = join(tmpdir(), `realmwatch-nats-${process.pid}-account.conf`);
  writeFileSync(
    path,
    `accounts { A { jetstream: { max_store: ${200 * mib} }, users: [{ user: a, password: b }] } }\nno_auth_user: a\n`,
  );
  await using server = await startNatsServer(["-c", path]);
  const { connection, jsm } = await open(server);
  assert.deepEqual((await setUpStreams(jsm, plans)).problems, []);
  assert.deepEqual([await sizeOf(jsm, "SVC_STATE"), await sizeOf(jsm, "SVC_EVENTS")], [80 * mib, 80 * mib]);
  await connection.close();
});

test("too little storage is a problem that names the least size", async () => {
  await using server = await startSmallServer(20);
  const { connection, jsm } = await open(server);
  const { problems } = await setUpStreams(jsm, plans);
  assert.deepEqual(problems, ["stream SVC_EVENTS cannot be created: JetStream has less than 16 MiB of storage left"]);
  await connection.close();
});

test("wrong settings of an existing stream are corrected, its size is kept", async () => {
  await using server = await startNatsServer();
  const { connection, jsm } = await open(server);
  await jsm.streams.add({
    name: "SVC_STATE",
    subjects: ["svc.v1.state.*.host.*", "svc.v1.state.*.service.>"],
    max_bytes: 50 * mib,
    max_msgs: 3,
    max_age: 1e12,
    duplicate_window: 1e9,
  });
  const { changes, problems } = await setUpStreams(jsm, [stateStream]);
  assert.deepEqual(problems, []);
  assert.equal(changes.length, 6, changes.join("; "));
  const { config } = await jsm.streams.info("SVC_STATE");
  assert.deepEqual(config.subjects, stateStream.subjects);
  assert.deepEqual(
    [config.max_bytes, config.max_msgs, config.max_age, config.discard, config.max_msgs_per_subject],
    [50 * mib, -1, 0, DiscardPolicy.New, 1],
  );
  await connection.close();
});

test("settings that cannot be corrected are reported", async () => {
  await using server = await startNatsServer();
  const { connection, jsm } = await open(server);
  await jsm.streams.add({
    name: "SVC_EVENTS",
    subjects: ["svc.v1.event.*"],
    retention: "workqueue" as never,
    storage: "memory" as never,
  });
  const { problems } = await setUpStreams(jsm, [eventStream], { replicas: 3 });
  assert.match(
    problems.join("\n"),
    /must have retention limits\n.*is in memory.*\n.*has 1 replica, -nats-replicas demands 3/,
  );
  await connection.close();
});

test("a full state stream refuses new objects and keeps the last row of all others", async () => {
  await using server = await startSmallServer(32);
  const { connection, jsm } = await open(server);
  await setUpStreams(jsm, plans);
  const row = new Uint8Array(512 * 1024);
  const publish = (name: string) => connection.jetstream().publish(`svc.v1.state.fra.host.${name}`, row);
  let stored = 0;
  await assert.rejects(
    async () => {
      for (; stored < 100; stored++) await publish(`h${stored}`);
    },
    (error: NatsError) => /maximum bytes exceeded/.test(error.api_error?.description ?? ""),
  );
  assert.ok(stored > 20);
  await publish("h0");
  assert.equal((await jsm.streams.info("SVC_STATE")).state.num_subjects, stored);
  await connection.close();
});

test("a stream of the account that captures the subjects is named", async () => {
  await using server = await startNatsServer();
  const { connection, jsm } = await open(server);
  await jsm.streams.add({ name: "EVERYTHING", subjects: ["svc.>"], max_bytes: mib });
  const { problems } = await setUpStreams(jsm, plans);
  assert.match(problems.join("\n"), /SVC_STATE cannot be created: stream EVERYTHING captures its subjects/);
  assert.match(
    (await findForeignStreams(connection, plans, systemClock)).join("\n"),
    /stream EVERYTHING captures svc\.v1\.state\.> and svc\.v1\.catalog\.> too/,
  );
  assert.equal((await jsm.streams.info("EVERYTHING")).state.messages, 0);
  await connection.close();
});

/** A hub with a port for leaf nodes, and a leaf node with a JetStream of its own. */
async function startHubAndLeaf() {
  const path = (name: string): string => join(tmpdir(), `realmwatch-nats-${process.pid}-${name}.conf`);
  const leafPort = await freePort();
  writeFileSync(path("hub"), `jetstream { domain: hub }\nleafnodes { host: "127.0.0.1", port: ${leafPort} }\n`);
  writeFileSync(
    path("leaf"),
    `jetstream { domain: site }\nleafnodes { remotes: [{ url: "nats://127.0.0.1:${leafPort}" }] }\n`,
  );
  const hub = await startNatsServer(["-c", path("hub")]);
  return { hub, leaf: await startNatsServer(["-c", path("leaf")]) };
}

test("a JetStream behind a leaf node that captures the subjects is found from the hub", async () => {
  const { hub, leaf } = await startHubAndLeaf();
  await using _hub = hub;
  await using _leaf = leaf;
  const connections: NatsConnection[] = [];
  const [centre, site] = [await open(hub), await open(leaf)];
  connections.push(centre.connection, site.connection);
  await setUpStreams(centre.jsm, plans);
  assert.deepEqual(await findForeignStreams(centre.connection, plans, systemClock), []);
  await setUpStreams(site.jsm, plans);
  let found: readonly string[] = [];
  for (let n = 0; n < 10 && found.length === 0; n++)
    found = await findForeignStreams(centre.connection, plans, systemClock);
  assert.match(found.join("\n"), /2 streams SVC_STATE capture|SVC_STATE of domain site/);
  for (const connection of connections) await connection.close();
});
