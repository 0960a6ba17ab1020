import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import { eventStream, eventSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { encodedEvent, encodedRow, openTestIngest, rowSubject } from "./ingest.fixture.ts";
import { openStreamMonitor } from "./stream-monitor.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-limits-"));
after(() => rmSync(folder, { recursive: true }));
const log = { info() {}, warn() {}, error() {} };

/** Starts NATS with lines of its configuration; closed with the test. */
async function openNats(scope: { after(end: () => Promise<void>): void }, lines: string) {
  const path = join(folder, "nats.conf");
  writeFileSync(path, lines);
  const server = await startNatsServer(["-c", path]);
  scope.after(() => server[Symbol.asyncDispose]());
  return {
    async connect(name: string) {
      const bus = openNatsBus({ url: server.url, credsFile: "", name, clock: systemClock, log });
      scope.after(() => bus.close());
      return { bus, connection: await until(`${name} is connected`, () => bus.live()) };
    },
  };
}

const rowBytes = 250_000;
const largeRow = (ref: string) =>
  toBinary(
    StateRowSchema,
    stateRowToProto(rowFor("fra", ref, { longOutput: "x".repeat(rowBytes) }), { realm: "fra", atMs: 1 }),
  );

const slow: readonly [what: string, maxPending: string, rows: number, isKept: boolean][] = [
  ["many large rows are read without exceeding what NATS buffers for a connection", "16MB", 150, true],
  ["a connection that NATS closes because it is read slowly loses no row", "4MB", 40, false],
];
for (const [what, maxPending, rows, isKept] of slow)
  test(`[FD98] ${what}`, async (t) => {
    const nats = await openNats(t, `max_pending: ${maxPending}`);
    const { connection } = await nats.connect("agent");
    await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
    const names = Array.from({ length: rows }, (_, at) => `h${at}`);
    await Promise.all(names.map((name) => connection.jetstream().publish(rowSubject("fra", name), largeRow(name))));
    const { bus } = await nats.connect("aggregator");
    const on = openTestIngest(bus, { consumerPrefix: "slow" });
    await until("all rows are written", () => new Set(on.refs()).size === rows, { withinMs: 60_000 });
    if (isKept) assert.equal(bus.connections(), 1);
    await on.ingest.close();
  });

test("[FD98] consumers that are deleted alone are made again, and nothing published meanwhile is lost", async (t) => {
  const nats = await openNats(t, "");
  const { bus, connection } = await nats.connect("aggregator");
  const jsm = await connection.jetstreamManager();
  await setUpStreams(jsm, [stateStream, eventStream]);
  const [shared, own] = [openTestIngest(bus, { consumerPrefix: "deleted" }), openTestIngest(bus)];
  const both = [shared, own];
  await until("both have consumers", () => both.every(({ ingest }) => ingest.caughtUp() && ingest.historyCaughtUp()));
  const publish = async (name: string, seq: number): Promise<void> => {
    await connection.jetstream().publish(rowSubject("fra", name), encodedRow("fra", name));
    await connection.jetstream().publish(eventSubject("fra"), encodedEvent("fra", seq));
  };
  await publish("before", 1);
  for (const stream of [stateStream.name, eventStream.name])
    for await (const { name } of jsm.consumers.list(stream)) await jsm.consumers.delete(stream, name);
  await publish("meanwhile", 2);
  await until("both have all", () =>
    both.every(
      (on) => ["fra before", "fra meanwhile"].every((ref) => on.refs().includes(ref)) && on.seqs().includes(2),
    ),
  );
  await publish("after", 3);
  await until("both go on", () => both.every((on) => on.refs().includes("fra after") && on.seqs().includes(3)));
  for (const { ingest } of both) await ingest.close();
});

test("[FD99] a limit of the account that the streams exceed is a problem that names it", async (t) => {
  const limited = "accounts: {A: {jetstream: {max_streams: 1}, users: [{user: a, password: b}]}}\nno_auth_user: a";
  const nats = await openNats(t, limited);
  const { bus } = await nats.connect("aggregator");
  const metrics = openMetrics({ version: "0", commit: "unknown" });
  const streams = openStreamMonitor({ bus, clock: systemClock, log, metrics, replicas: undefined });
  t.after(() => metrics.close());
  t.after(() => streams.close());
  await until("the limit is named", () => /maximum number of streams/.test(streams.report().problems.join()));
});
