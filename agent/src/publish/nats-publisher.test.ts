import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import {
  HeartbeatSchema,
  RealmCatalogSchema,
  RealmEpochSchema,
  RealmEventSchema,
  StateRowSchema,
} from "@realmwatch/proto/svc/v1/state_pb";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import type { Row, RowChange } from "@realmwatch/shared/model/row";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/process/spawned-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import {
  catalogSubject,
  epochSubject,
  heartbeatSubject,
  stateSubject,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, NatsError } from "nats";
import { openRealmPublisher, type PublisherOptions, type RealmPublisher } from "./nats-publisher.ts";
import { publishMetrics } from "./publish-metrics.ts";

const host = (name: string) => ({ kind: "host", name }) as const;

const row = (name: string, revision: number, more: Partial<Row> = {}): Row =>
  rowFor("", name, { epoch: 0, revision, ...more });

/** A realm without checks, whose rows and history the test changes. `cursor` outlives a publisher, as in a journal. */
function realmOf(names: readonly string[]) {
  const rows = new Map(names.map((name) => [name, row(name, 1)]));
  const history: HistoryRecord[] = [];
  const realm = {
    epoch: 1_000,
    revision: 1,
    cursor: 0,
    rows,
    history,
    record: (text: string) =>
      void history.push({ seq: history.length + 1, realm: "", atMs: 5, type: "state", output: text }),
    change(name: string, output: string): RowChange {
      const next = row(name, ++realm.revision, { output, epoch: realm.epoch });
      rows.set(name, next);
      return { kind: "put", row: next };
    },
    remove(name: string): RowChange {
      rows.delete(name);
      return { kind: "drop", realm: "", key: host(name), epoch: realm.epoch, revision: ++realm.revision };
    },
  };
  return realm;
}
type TestRealm = ReturnType<typeof realmOf>;

const quietLog = { info() {}, warn() {}, error() {} };

function open(
  t: TestContext,
  { url, realm, ...more }: { url: string; realm: TestRealm; instance?: string } & Partial<PublisherOptions>,
): { publisher: RealmPublisher; bus: NatsBus } {
  const log = more.log ?? quietLog;
  const bus = openNatsBus({ url, credsFile: "", name: "agent", clock: systemClock, log });
  const publisher = openRealmPublisher({
    bus,
    clock: more.clock ?? systemClock,
    log,
    epoch: realm.epoch,
    onEpoch: (epoch) => (realm.epoch = epoch),
    source: {
      realm: "r",
      instance: more.instance ?? "one",
      version: "v0",
      *allRows() {
        for (const value of realm.rows.values()) yield { kind: "put", row: { ...value, epoch: realm.epoch } };
      },
      catalog: () => ({
        ...{ realm: "", contacts: [], views: [{ name: "all", selector: "", description: "" }] },
        ...{ sinks: [], panels: [], slos: [], toggles: allProgramTogglesOn },
      }),
      counts: () => ({ hosts: realm.rows.size, services: 0, processes: 0, configHash: "h" }),
      lastHistorySeq: realm.history.length,
      history: {
        historyAfter: async (seq, limit) => realm.history.filter((r) => r.seq > seq).slice(0, limit),
        cursor: async () => realm.cursor,
        async setCursor(_name, seq) {
          realm.cursor = seq;
        },
        async skipHistoryTo(seq) {
          realm.history.push({ seq: seq + 1, realm: "", atMs: 5, type: "gap" });
          return { ok: true, value: { lastHistorySeq: seq + 1 } };
        },
      },
    },
  });
  let closed = false;
  const close = publisher.close.bind(publisher);
  publisher.close = async () => {
    if (closed) return;
    closed = true;
    await close();
    await bus.close();
  };
  t.after(() => publisher.close());
  return { publisher, bus };
}

/** Reads the streams over a separate connection. */
async function read<T>(url: string, use: (broker: BrokerView) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: url });
  try {
    const jsm = await connection.jetstreamManager();
    const last = async (stream: string, subject: string): Promise<Uint8Array | undefined> => {
      try {
        return (await jsm.streams.getMessage(stream, { last_by_subj: subject })).data;
      } catch (error) {
        if (error instanceof NatsError) return undefined;
        throw error;
      }
    };
    return await use({
      jsm,
      async row(name) {
        const data = await last("SVC_STATE", stateSubject("r", host(name)));
        return data && fromBinary(StateRowSchema, data);
      },
      async epoch() {
        const data = await last("SVC_STATE", epochSubject("r"));
        return data && fromBinary(RealmEpochSchema, data);
      },
      async catalog() {
        const data = await last("SVC_STATE", catalogSubject("r"));
        return data && fromBinary(RealmCatalogSchema, data);
      },
      async events() {
        const { messages, last_seq } = (await jsm.streams.info("SVC_EVENTS")).state;
        const found = [];
        for (let seq = last_seq - messages + 1; seq <= last_seq; seq++)
          found.push(fromBinary(RealmEventSchema, (await jsm.streams.getMessage("SVC_EVENTS", { seq })).data));
        return found.map((event) => [Number(event.seq), event.record?.output ?? ""] as const);
      },
    });
  } finally {
    await connection.close();
  }
}
type BrokerView = {
  readonly jsm: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>["jetstreamManager"]>>;
  row(name: string): Promise<ReturnType<typeof fromBinary<typeof StateRowSchema>> | undefined>;
  epoch(): Promise<ReturnType<typeof fromBinary<typeof RealmEpochSchema>> | undefined>;
  catalog(): Promise<ReturnType<typeof fromBinary<typeof RealmCatalogSchema>> | undefined>;
  events(): Promise<(readonly [seq: number, output: string])[]>;
};

const settled = (publisher: RealmPublisher) =>
  until(
    "everything is published",
    () => {
      const { complete, waitingRows, waitingEvents } = publisher.state();
      return complete && waitingRows === 0 && waitingEvents === 0;
    },
    { seen: publisher.state },
  );

test("a start publishes rows, catalog, history and then the marker; changes and deletions follow", async (t) => {
  await using server = await startNatsServer();
  const realm = realmOf(Array.from({ length: 500 }, (_, i) => `h${i}`));
  for (let i = 1; i <= 150; i++) realm.record(`e${i}`);
  const { publisher } = open(t, { url: server.url, realm });
  await settled(publisher);
  await read(server.url, async (broker) => {
    const epoch = await broker.epoch();
    assert.deepEqual([epoch?.epoch, epoch?.complete, epoch?.rows], [1_000n, true, 500]);
    assert.equal((await broker.row("h499"))?.epoch, 1_000n);
    assert.equal((await broker.catalog())?.views[0]?.name, "all");
    assert.deepEqual(
      await broker.events(),
      Array.from({ length: 150 }, (_, i) => [i + 1, `e${i + 1}`]),
    );
    assert.equal(realm.cursor, 150);
  });

  publisher.rows([
    { change: realm.change("h1", "broken"), urgent: true },
    { change: realm.remove("h2"), urgent: true },
  ]);
  realm.record("e151");
  publisher.historyAdvanced(151);
  publisher.catalogChanged();
  await settled(publisher);
  await read(server.url, async (broker) => {
    assert.equal((await broker.row("h1"))?.row?.output, "broken");
    const gone = await broker.row("h2");
    assert.deepEqual([gone?.deleted, gone?.revision], [true, 3n]);
    await until("the second catalog", async () => (await broker.catalog())?.revision === 2n);
    assert.equal((await broker.events()).length, 151);
  });
});

test("a non-urgent change is published at most once in ten seconds, with the newest row", async (t) => {
  await using server = await startNatsServer();
  const clock = manualClock(5_000);
  const realm = realmOf(["a"]);
  const { publisher } = open(t, { url: server.url, realm, clock });
  await settled(publisher);
  const kept = publisher.state().stored;
  for (let i = 0; i < 50; i++) {
    clock.advance(100);
    publisher.rows([{ change: realm.change("a", `try ${i}`), urgent: false }]);
  }
  assert.equal(publisher.state().waitingRows, 1);
  clock.advance(5_500);
  await settled(publisher);
  assert.equal(publisher.state().stored, kept + 1);
  await read(server.url, async (broker) => assert.equal((await broker.row("a"))?.row?.output, "try 49"));
});

test("[NB1] during an outage only the newest row of each object waits, and history resumes in order", async (t) => {
  await using server = await startNatsServer();
  const realm = realmOf(["a", "b"]);
  const { publisher, bus } = open(t, { url: server.url, realm });
  realm.record("e1");
  publisher.historyAdvanced(1);
  await settled(publisher);
  await server.stop("SIGKILL");
  await until("the lost connection is detected", () => bus.live() === undefined);
  for (let i = 2; i <= 300; i++) {
    realm.record(`e${i}`);
    publisher.historyAdvanced(i);
    publisher.rows([{ change: realm.change("a", `try ${i}`), urgent: true }]);
  }
  assert.equal(publisher.state().waitingRows, 1);
  assert.equal(publisher.state().waitingEvents, 299);
  assert.notEqual(publisher.state().error, "");
  await server.restart();
  await settled(publisher);
  assert.equal(publisher.state().error, "");
  await read(server.url, async (broker) => {
    assert.equal((await broker.row("a"))?.row?.output, "try 300");
    assert.deepEqual(
      await broker.events(),
      Array.from({ length: 300 }, (_, i) => [i + 1, `e${i + 1}`]),
    );
  });
});

test("[NB1] while NATS is away the metrics show how much waits and for how long, and zero afterwards", async (t) => {
  await using server = await startNatsServer();
  const realm = realmOf(["a", "b"]);
  const { publisher, bus } = open(t, { url: server.url, realm });
  await settled(publisher);
  const clock = manualClock(65_000);
  const metrics = openMetrics({ program: "agent", version: "v0" });
  t.after(() => metrics.close());
  publishMetrics(metrics, { clock, connected: () => bus.live() !== undefined, state: () => publisher.state() });
  const gauges = async (): Promise<readonly number[]> => {
    const { text } = await metrics.render();
    return [
      "nats_connected",
      "outbox_blocked",
      "outbox_rows",
      "outbox_records",
      "outbox_oldest_record_age_seconds",
    ].map((name) => Number(new RegExp(`^realmwatch_${name} (.+)$`, "m").exec(text)?.[1]));
  };
  const becomes = (expected: readonly number[]) =>
    until(`gauges are ${expected}`, async () => isDeepStrictEqual(await gauges(), expected));
  await becomes([1, 0, 0, 0, 0]);

  await server.stop();
  // Each record has the time 5 ms; the clock is at 65 s.
  for (let n = 1; n <= 300; n++) realm.record(`e${n}`);
  publisher.historyAdvanced(300);
  publisher.rows([{ change: realm.change("a", "broken"), urgent: true }]);
  await becomes([0, 1, 1, 300, 64.995]);
  clock.advance(10_000);
  assert.deepEqual(await gauges(), [0, 1, 1, 300, 74.995]);
  await server.restart();
  await becomes([1, 0, 0, 0, 0]);
});

test("[NB2] lost streams are created and filled again", async (t) => {
  await using server = await startNatsServer();
  const realm = realmOf(["a", "b"]);
  for (let i = 1; i <= 10; i++) realm.record(`e${i}`);
  const { publisher, bus } = open(t, { url: server.url, realm });
  await settled(publisher);
  const connections = bus.connections();
  await read(server.url, async ({ jsm }) => {
    await jsm.streams.delete("SVC_STATE");
    await jsm.streams.delete("SVC_EVENTS");
  });
  await server.stop();
  await server.restart();
  await until("the connection is back", () => bus.connections() > connections);
  await read(server.url, async (broker) => {
    await until("the marker", async () => (await broker.epoch())?.complete === true);
    assert.ok(await broker.row("b"));
    await until("the history", async () => (await broker.events()).length === 10);
  });
});

test("[NB2] a stream deleted while connected is created again at the next message", async (t) => {
  await using server = await startNatsServer();
  const realm = realmOf(["a", "b"]);
  const { publisher } = open(t, { url: server.url, realm });
  await settled(publisher);
  await read(server.url, async (broker) => {
    await broker.jsm.streams.delete("SVC_STATE");
    publisher.rows([{ change: realm.change("a", "after"), urgent: true }]);
    await until("the marker", async () => (await broker.epoch())?.complete === true);
    assert.equal((await broker.row("a"))?.row?.output, "after");
    assert.ok(await broker.row("b"));
  });
});

test("a greater epoch in the stream makes the publisher mint a greater one and publish all rows again", async (t) => {
  await using server = await startNatsServer();
  const first = open(t, { url: server.url, realm: { ...realmOf(["a"]), epoch: 9_000_000_000_000 } });
  await settled(first.publisher);
  await first.publisher.close();
  const realm = realmOf(["a", "b"]);
  const { publisher } = open(t, { url: server.url, realm });
  await settled(publisher);
  assert.equal(realm.epoch, 9_000_000_000_001);
  await read(server.url, async (broker) => {
    assert.equal((await broker.epoch())?.epoch, 9_000_000_000_001n);
    assert.equal((await broker.row("a"))?.epoch, 9_000_000_000_001n);
  });
});

test("[NB5] when the journal is an older copy, history continues after the last record of the stream", async (t) => {
  await using server = await startNatsServer();
  const before = realmOf(["a"]);
  for (let i = 1; i <= 20; i++) before.record(`e${i}`);
  const first = open(t, { url: server.url, realm: before });
  await settled(first.publisher);
  await first.publisher.close();
  const restored = realmOf(["a"]);
  for (let i = 1; i <= 5; i++) restored.record(`e${i}`);
  restored.cursor = 5;
  const { publisher } = open(t, { url: server.url, realm: restored });
  await until("numbering continues after the stream's last record", () =>
    restored.history.some((record) => record.seq === 21),
  );
  await settled(publisher);
  assert.equal(restored.cursor, 21);
});

test("[NB6] of two agents of one realm the one with the greater epoch publishes, until it is gone", async (t) => {
  await using server = await startNatsServer();
  const errors: unknown[] = [];
  const log = { ...quietLog, error: (fields: unknown) => void errors.push(fields) };
  const clock = manualClock(1_000);
  const older = realmOf(["a"]);
  const one = open(t, { url: server.url, realm: older, clock, log, instance: "one" });
  await settled(one.publisher);
  const later = { ...realmOf(["a"]), epoch: 2_000 };
  const two = open(t, { url: server.url, realm: later, instance: "two" });
  await settled(two.publisher);
  await until("the older agent detects the newer one", () => one.publisher.state().duplicateInstance === "two");
  assert.equal(errors.length, 1);
  one.publisher.rows([{ change: older.change("a", "from the older agent"), urgent: true }]);
  two.publisher.rows([{ change: later.change("a", "from the newer agent"), urgent: true }]);
  await settled(two.publisher);
  await read(server.url, async (broker) => assert.equal((await broker.row("a"))?.row?.output, "from the newer agent"));

  await two.publisher.close();
  clock.advance(15_000);
  await settled(one.publisher);
  assert.ok(older.epoch > 2_000);
  await read(server.url, async (broker) => assert.equal((await broker.row("a"))?.row?.output, "from the older agent"));
});

test("heartbeats carry the instance and the current epoch", async (t) => {
  await using server = await startNatsServer();
  const listener = await connect({ servers: server.url });
  t.after(() => listener.close());
  const heard = listener.subscribe(heartbeatSubject("r"), { max: 1 });
  await listener.flush();
  const realm = realmOf(["a"]);
  open(t, { url: server.url, realm });
  for await (const { data } of heard) {
    const { instance, epoch, hosts, configHash, realm: name } = fromBinary(HeartbeatSchema, data);
    assert.deepEqual(
      { instance, epoch, hosts, configHash, name },
      { instance: "one", epoch: 1_000n, hosts: 1, configHash: "h", name: "r" },
    );
  }
});

test("[NB3] a denied publish is logged with its subject and does not stop other messages", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-permissions-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "nats.conf");
  writeFileSync(
    path,
    `authorization { users = [
      { user: agent, password: secret-word, permissions: { publish: { deny: ["svc.v1.event.r"] } } }
      { user: reader, password: r }
    ] }`,
  );
  await using server = await startNatsServer(["-c", path]);
  const lines: string[] = [];
  const log = { ...quietLog, warn: (fields: unknown) => void lines.push(JSON.stringify(fields)) };
  const realm = realmOf(["a"]);
  realm.record("e1");
  const { publisher } = open(t, { url: withUser(server, "agent:secret-word"), realm, log });
  await until("the subject is logged", () => lines.some((line) => line.includes("svc.v1.event.r")));
  await until("the rows are published", () => publisher.state().complete);
  assert.equal(publisher.state().waitingEvents, 1);
  assert.doesNotMatch(lines.join(), /secret-word/);
});

const withUser = ({ url }: SpawnedServer, user: string): string => url.replace("//", `//${user}@`);
