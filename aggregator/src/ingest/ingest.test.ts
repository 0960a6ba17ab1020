import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema, RealmCatalogSchema, RealmEpochSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { refOf } from "@realmwatch/shared/model/object-key";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import * as subjects from "@realmwatch/shared/wire/nats/nats-subjects";
import type { RealmWrite } from "../realms/realm-write.ts";
import { encodedEvent, encodedRow, openTestIngest, rowSubject, type TestIngestOptions } from "./ingest.fixture.ts";
import { replayStream } from "./replay-stream.ts";
import { silentEvents } from "./reread-realm.ts";
import { openStreamMonitor } from "./stream-monitor.ts";

let server: SpawnedServer;
let bus: NatsBus;
let streams: ReturnType<typeof openStreamMonitor>;
const log = { info() {}, warn() {}, error() {} };
before(async () => {
  server = await startNatsServer();
  bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
  await until("connected to NATS", () => bus.live());
  const metrics = openMetrics({ version: "0", commit: "unknown" });
  after(() => metrics.close());
  streams = openStreamMonitor({ bus, clock: systemClock, log, metrics, replicas: undefined });
});
after(async () => {
  await streams.close();
  await bus.close();
  await server[Symbol.asyncDispose]();
});

/** Opens an ingest on the bus of the tests. */
const open = (options?: TestIngestOptions) => openTestIngest(bus, options);

/** Publishes a message, once its stream exists. */
async function publish(subject: string, data: Uint8Array): Promise<void> {
  await until(`${subject} is published`, () => bus.live()?.jetstream().publish(subject, data));
}
async function clean(): Promise<void> {
  const jsm = await bus.live()?.jetstreamManager();
  for (const name of ["SVC_STATE", "SVC_EVENTS"]) await jsm?.streams.delete(name).catch(() => false);
}

test("[FE6] without Redis each start reads all stored messages, then new ones", async () => {
  await clean();
  const first = open();
  await until("caught up", first.ingest.caughtUp);
  await publish(rowSubject("fra", "web1"), encodedRow("fra", "web1"));
  await publish(rowSubject("ams", "db!pg"), encodedRow("ams", "db!pg"));
  await publish(
    subjects.epochSubject("fra"),
    toBinary(RealmEpochSchema, create(RealmEpochSchema, { realm: "fra", epoch: 1n, complete: true })),
  );
  await publish(
    subjects.catalogPartSubject("fra", { kind: "contact", number: 0 }),
    toBinary(RealmCatalogSchema, create(RealmCatalogSchema, { realm: "fra", epoch: 1n, revision: 1n, parts: 1 })),
  );
  await publish(subjects.eventSubject("fra"), encodedEvent("fra", 1));
  await until(
    "rows, history and catalog are written",
    () => first.refs().length === 2 && first.seqs().length === 1 && first.writes.some((w) => w.catalogParts.length > 0),
  );
  await first.ingest.close();

  const second = open();
  await until("caught up with history", () => second.ingest.caughtUp() && second.seqs().length === 1);
  assert.deepEqual(second.refs().sort(), ["ams db!pg", "fra web1"]);
  assert.ok(second.writes.some((w) => w.completeEpoch === 1));
  assert.ok(Math.abs((second.stored.get("fra") ?? 0) - systemClock.now()) < 60_000);
  await publish(rowSubject("fra", "web2"), encodedRow("fra", "web2"));
  await until("fra web2 is written", () => second.refs().includes("fra web2"));
  await second.ingest.close();
});

test("[NB4] hostile and broken messages are reported and skipped, and do not stop the ingest", async () => {
  await clean();
  const on = open();
  await until("caught up", on.ingest.caughtUp);
  await publish(rowSubject("fra", "web1"), encodedRow("ams", "web1"));
  await publish(rowSubject("fra", "web3"), encodedRow("fra", "web2"));
  await publish(rowSubject("fra", "web4"), Buffer.from([255, 255, 255]));
  await publish("svc.v1.state.fra.toaster.x", encodedRow("fra", "web1"));
  await publish(rowSubject("mars", "web1"), encodedRow("mars", "web1"));
  await publish(
    subjects.epochSubject("fra"),
    toBinary(RealmEpochSchema, create(RealmEpochSchema, { realm: "fra", epoch: 2n ** 63n, complete: true })),
  );
  bus.publish(subjects.heartbeatSubject("fra"), toBinary(HeartbeatSchema, create(HeartbeatSchema, { realm: "ams" })));
  bus.publish(
    subjects.heartbeatSubject("fra"),
    toBinary(HeartbeatSchema, create(HeartbeatSchema, { realm: "fra", instance: "i", epoch: 3n })),
  );
  await publish(rowSubject("fra", "good"), encodedRow("fra", "good"));
  await until(
    "six messages are rejected",
    () => on.refs().length > 0 && on.heartbeats.length > 0 && on.rejected.length >= 6,
    { seen: () => on.rejected },
  );
  assert.deepEqual(on.refs(), ["fra good"]);
  assert.deepEqual([...on.unlisted], ["mars"]);
  assert.deepEqual([...on.rejected].sort(), [
    " subject",
    "fra epoch",
    "fra foreign",
    "fra foreign",
    "fra foreign",
    "fra undecodable",
  ]);
  assert.deepEqual(
    on.heartbeats.map((heartbeat) => heartbeat.epoch),
    [3],
  );
  await on.ingest.close();
});

test("[FE2] two aggregators share the stream; a batch that one cannot write is written by the other", async () => {
  await clean();
  let broken = true;
  const one = open({ consumerPrefix: "pair", failing: () => broken });
  const two = open({ consumerPrefix: "pair", failing: () => broken });
  await until("caught up", two.ingest.caughtUp);
  await until("both ingests work", () => one.ingest.error() === "" && two.ingest.error() === "");
  for (let i = 0; i < 50; i++) await publish(rowSubject("fra", `h${i}`), encodedRow("fra", `h${i}`));
  await until("a write fails", () => one.ingest.error() || two.ingest.error());
  broken = false;
  await until("50 rows are written", () => new Set([...one.refs(), ...two.refs()]).size === 50);
  await one.ingest.close();
  for (let i = 50; i < 60; i++) await publish(rowSubject("fra", `h${i}`), encodedRow("fra", `h${i}`));
  await until("60 rows are written", () => new Set([...one.refs(), ...two.refs()]).size === 60);
  await two.ingest.close();
});

test("[NB2] a deleted stream and a deleted consumer are created again", async () => {
  await clean();
  const on = open({ consumerPrefix: "again" });
  await until("caught up", on.ingest.caughtUp);
  const jsm = await bus.live()?.jetstreamManager();
  await jsm?.consumers.delete("SVC_STATE", "again-SVC_STATE");
  await until("ingest is interrupted", () => on.ingest.error());
  await until("ingest works again", () => on.ingest.error() === "", { seen: on.ingest.error });
  await publish(rowSubject("fra", "b"), encodedRow("fra", "b"));
  await until("fra b is written", () => on.refs().includes("fra b"));
  await clean();
  await until("ingest is interrupted", () => on.ingest.error());
  await until("ingest works again", () => on.ingest.error() === "", { seen: on.ingest.error });
  await publish(rowSubject("fra", "c"), encodedRow("fra", "c"));
  await until("fra c is written", () => on.refs().includes("fra c"));
  await on.ingest.close();
});

test("[NB1] a killed broker interrupts the ingest, and stored messages are not lost", async () => {
  await clean();
  const on = open({ consumerPrefix: "kill" });
  await until("caught up", on.ingest.caughtUp);
  await publish(rowSubject("fra", "a"), encodedRow("fra", "a"));
  await until("fra a is written", () => on.refs().includes("fra a"));
  await server.stop("SIGKILL");
  await until("the connection is lost", () => bus.live() === undefined);
  await server.restart();
  await until("connected again", () => bus.live());
  await publish(rowSubject("fra", "b"), encodedRow("fra", "b"));
  await until("fra b is written", () => on.refs().includes("fra b"));
  await on.ingest.close();
});

test("a replay writes all messages of a stream, then resolves", async () => {
  await clean();
  const on = open();
  await until("caught up", on.ingest.caughtUp);
  for (let i = 0; i < 2_500; i++)
    bus.publish(rowSubject("fra", `h${i % 1_200}`), encodedRow("fra", `h${i % 1_200}`, i + 1));
  await until("1200 rows are written", () => new Set(on.refs()).size === 1_200);
  await on.ingest.close();
  const connection = bus.live();
  assert.ok(connection);
  const refs = new Set<string>();
  const events = silentEvents;
  const write = async ({ changes }: RealmWrite) => {
    for (const change of changes) if (change.kind === "put") refs.add(refOf(change.row.about.key));
  };
  await replayStream(connection, {
    stream: "state",
    sinceMs: 0,
    realms: undefined,
    options: { clock: systemClock, isListed: () => true, write, events },
  });
  await replayStream(connection, {
    stream: "events",
    sinceMs: 1,
    realms: undefined,
    options: { clock: systemClock, isListed: () => true, write, events },
  });
  assert.equal(refs.size, 1_200);
});

test("[NB1] a replay ends although messages arrive faster than it reads", async () => {
  await clean();
  const on = open();
  await until("caught up", on.ingest.caughtUp);
  await on.ingest.close();
  const connection = bus.live();
  assert.ok(connection);
  let batches = 0;
  // Each write publishes more messages than a batch of the replay holds.
  const write = async (): Promise<void> => {
    batches += 1;
    assert.ok(batches < 6, "the replay follows new messages");
    for (let i = 0; i < 150; i++)
      bus.publish(rowSubject("fra", `h${batches}-${i}`), encodedRow("fra", `h${batches}-${i}`));
    await connection.flush();
  };
  const events = silentEvents;
  await write();
  await replayStream(connection, {
    stream: "state",
    sinceMs: 0,
    realms: undefined,
    options: { clock: systemClock, isListed: () => true, write, events },
  });
});

test("[RS23] row messages that a rebuild writes are acknowledged and not written, other messages are", async () => {
  await clean();
  const on = open({ consumerPrefix: "rebuilt", isRebuilt: (realm, seq) => realm === "fra" && seq <= 2 });
  await publish(rowSubject("fra", "web1"), encodedRow("fra", "web1"));
  await publish(rowSubject("ams", "db"), encodedRow("ams", "db"));
  await publish(rowSubject("fra", "web2"), encodedRow("fra", "web2"));
  await until("the other rows are written", () => on.refs().length === 2);
  assert.deepEqual(on.refs().sort(), ["ams db", "fra web2"]);
  const jsm = await bus.live()?.jetstreamManager();
  await until("all are acknowledged", async () => {
    const info = await jsm?.consumers.info("SVC_STATE", "rebuilt-SVC_STATE");
    return info?.ack_floor.stream_seq === 3;
  });
  await on.ingest.close();
});
