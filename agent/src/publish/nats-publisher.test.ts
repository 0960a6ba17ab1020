import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { publishMetrics } from "./publish-metrics.ts";
import {
  makeStreams,
  openPublisher,
  published,
  readBroker,
  realmOf,
  silentLog,
  startNatsWithStreams,
  withLogin,
} from "./publisher.fixture.ts";

test("a start publishes rows, catalog, history and then the marker; changes and deletions follow", async (t) => {
  await using server = await startNatsWithStreams();
  const realm = realmOf(Array.from({ length: 500 }, (_, i) => `h${i}`));
  for (let i = 1; i <= 150; i++) realm.record(`e${i}`);
  const { publisher } = openPublisher(t, { url: server.url, realm });
  await published(publisher);
  await readBroker(server.url, async (broker) => {
    const epoch = await broker.epoch();
    assert.deepEqual([epoch?.epoch, epoch?.complete, epoch?.rows], [1_000n, true, 500]);
    assert.equal((await broker.row("h499"))?.epoch, 1_000n);
    assert.equal((await broker.catalogPart("view", 0))?.views[0]?.name, "all");
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
  realm.catalog = {
    ...realm.catalog,
    views: [{ name: "own", selector: "", description: "", saved: false, author: "" }],
  };
  publisher.catalogChanged();
  await published(publisher);
  await readBroker(server.url, async (broker) => {
    assert.equal((await broker.row("h1"))?.row?.output, "broken");
    const gone = await broker.row("h2");
    assert.deepEqual([gone?.deleted, gone?.revision], [true, 3n]);
    await until("the second catalog", async () => (await broker.catalogPart("view", 0))?.views[0]?.name === "own");
    assert.equal((await broker.catalogPart("contact", 0))?.revision, 1n, "only the changed part is published again");
    assert.equal((await broker.events()).length, 151);
  });
});

test("a non-urgent change is published at most once in ten seconds, with the newest row", async (t) => {
  await using server = await startNatsWithStreams();
  const clock = manualClock(5_000);
  const realm = realmOf(["a"]);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  const kept = publisher.state().stored;
  for (let i = 0; i < 50; i++) {
    clock.advance(100);
    publisher.rows([{ change: realm.change("a", `try ${i}`), urgent: false }]);
  }
  assert.equal(publisher.state().waitingRows, 1);
  clock.advance(5_500);
  await published(publisher);
  assert.equal(publisher.state().stored, kept + 1);
  await readBroker(server.url, async (broker) => assert.equal((await broker.row("a"))?.row?.output, "try 49"));
});

test("[NB1] during an outage only the newest row of each object waits, and history resumes in order", async (t) => {
  await using server = await startNatsWithStreams();
  const realm = realmOf(["a", "b"]);
  const { publisher, bus } = openPublisher(t, { url: server.url, realm });
  realm.record("e1");
  publisher.historyAdvanced(1);
  await published(publisher);
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
  await published(publisher);
  assert.equal(publisher.state().error, "");
  await readBroker(server.url, async (broker) => {
    assert.equal((await broker.row("a"))?.row?.output, "try 300");
    assert.deepEqual(
      await broker.events(),
      Array.from({ length: 300 }, (_, i) => [i + 1, `e${i + 1}`]),
    );
  });
});

test("[NB1] while NATS is away the metrics show how much waits and for how long, and zero afterwards", async (t) => {
  await using server = await startNatsWithStreams();
  const realm = realmOf(["a", "b"]);
  const { publisher, bus } = openPublisher(t, { url: server.url, realm });
  await published(publisher);
  const clock = manualClock(65_000);
  const metrics = openMetrics({ version: "v0", commit: "unknown" });
  t.after(() => metrics.close());
  publishMetrics(metrics, { clock, bus, state: () => publisher.state() });
  const gauges = async (): Promise<readonly number[]> => {
    const { text } = await metrics.render();
    return [
      "nats_connected",
      "outbox_blocked",
      "outbox_rows",
      "outbox_records",
      "outbox_messages",
      "outbox_dropped_total",
      "nats_reconnects_total",
      "outbox_oldest_seconds",
    ].map((name) => Number(new RegExp(`^realmwatch_${name} (.+)$`, "m").exec(text)?.[1]));
  };
  const becomes = (expected: readonly number[]) =>
    until(`gauges are ${expected}`, async () => isDeepStrictEqual(await gauges(), expected));
  await becomes([1, 0, 0, 0, 0, 0, 0, 0]);

  await server.stop();
  // Each record has the time 5 ms; the clock is at 65 s.
  for (let n = 1; n <= 300; n++) realm.record(`e${n}`);
  publisher.historyAdvanced(300);
  publisher.rows([{ change: realm.change("a", "broken"), urgent: true }]);
  await becomes([0, 1, 1, 300, 301, 0, 0, 64.995]);
  clock.advance(10_000);
  const { text } = await metrics.render();
  const bytes = Number(/^realmwatch_outbox_bytes (.+)$/m.exec(text)?.[1]);
  assert.ok(bytes > 301 * 20 && bytes < 301 * 2_000, `${bytes}`);
  assert.deepEqual(await gauges(), [0, 1, 1, 300, 301, 0, 0, 74.995]);
  await server.restart();
  await becomes([1, 0, 0, 0, 0, 0, 1, 0]);
});

test("[NB2] a stream that was deleted and made again is filled again at the next message", async (t) => {
  await using server = await startNatsWithStreams();
  const realm = realmOf(["a", "b"]);
  for (let i = 1; i <= 10; i++) realm.record(`e${i}`);
  const { publisher } = openPublisher(t, { url: server.url, realm });
  await published(publisher);
  await readBroker(server.url, async ({ jsm }) => {
    await jsm.streams.delete("SVC_STATE");
    await jsm.streams.delete("SVC_EVENTS");
  });
  await makeStreams(server.url);
  publisher.rows([{ change: realm.change("a", "after"), urgent: true }]);
  realm.record("e11");
  publisher.historyAdvanced(11);
  await readBroker(server.url, async (broker) => {
    await until("the marker", async () => (await broker.epoch())?.complete === true);
    assert.equal((await broker.row("a"))?.row?.output, "after");
    assert.ok(await broker.row("b"));
    await until("the history", async () => (await broker.events()).length === 11);
  });
});

test("[NB1] without a stream the newest row of each object waits, and all are published once it exists", async (t) => {
  await using server = await startNatsServer();
  const realm = realmOf(["a", "b"]);
  realm.record("e1");
  const { publisher } = openPublisher(t, { url: server.url, realm });
  const missing = /^NATS has no stream SVC_(STATE|EVENTS) yet; an aggregator or `realmwatch-aggregator nats-setup`/;
  await until("the error names the stream", () => missing.test(publisher.state().error), { seen: publisher.state });
  for (let i = 1; i <= 20; i++) publisher.rows([{ change: realm.change("a", `try ${i}`), urgent: true }]);
  await until("no row is in flight", () => publisher.state().inFlight === 0);
  assert.ok(publisher.state().waitingRows <= 2);
  await makeStreams(server.url);
  await published(publisher);
  assert.equal(publisher.state().error, "");
  await readBroker(server.url, async (broker) => {
    assert.equal((await broker.row("a"))?.row?.output, "try 20");
    assert.deepEqual(await broker.events(), [[1, "e1"]]);
  });
});

test("after an outage history is published at no more than 2 000 records a second", async (t) => {
  await using server = await startNatsWithStreams();
  const clock = manualClock(5_000);
  const realm = realmOf(["a"]);
  for (let i = 1; i <= 1_000; i++) realm.record(`e${i}`);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await until("the burst", () => publisher.state().waitingEvents <= 1_000 - 128 && clock.nextInMs() < 250);
  assert.equal(publisher.state().waitingEvents, 1_000 - 128, "no further record passes while the clock stands still");
  const startedMs = clock.monotonic();
  await until(
    "all are published",
    () => {
      clock.advance(5);
      return publisher.state().waitingEvents === 0;
    },
    { everyMs: 1 },
  );
  const tookMs = clock.monotonic() - startedMs;
  assert.ok(tookMs >= ((1_000 - 128) / 2_000) * 1_000, `${tookMs} ms on the publisher's clock`);
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
  await makeStreams(withLogin(server, "reader:r"));
  const lines: string[] = [];
  const log = { ...silentLog, warn: (fields: unknown) => void lines.push(JSON.stringify(fields)) };
  const realm = realmOf(["a"]);
  realm.record("e1");
  const { publisher } = openPublisher(t, { url: withLogin(server, "agent:secret-word"), realm, log });
  await until("the subject is logged", () => lines.some((line) => line.includes("svc.v1.event.r")));
  await until("the rows are published", () => publisher.state().complete);
  assert.equal(publisher.state().waitingEvents, 1);
  assert.doesNotMatch(lines.join(), /secret-word/);
});
