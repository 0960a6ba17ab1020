import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { sleep } from "@realmwatch/shared/model/clock";
import { refOf } from "@realmwatch/shared/model/object-key";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { keyOfChange } from "@realmwatch/shared/row/row";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import { eventStream, eventSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { NatsConnection } from "nats";
import { encodedEvent, encodedRow, openTestIngest, rowSubject } from "./ingest.fixture.ts";
import { replayStream } from "./replay-stream.ts";
import { silentEvents } from "./reread-realm.ts";
import { consumeStream } from "./stream-consumer.ts";
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
    ...server,
    async connect(name: string, url = server.url) {
      const bus = openNatsBus({ url, credsFile: "", name, clock: systemClock, log });
      scope.after(() => bus.close());
      return { bus, connection: await until(`${name} is connected`, () => bus.live()) };
    },
  };
}

/**
 * Opens a port in front of NATS, which waits for `next` before it reads on what NATS sends. Returns its URL; closed with
 * the test.
 */
async function openSlowPort(
  scope: { after(end: () => void): void },
  natsPort: number,
  next: (receivedBytes: number) => Promise<void>,
): Promise<string> {
  let received = 0;
  const server = createServer((socket) => {
    const nats = connect(natsPort, "127.0.0.1", () => socket.pipe(nats));
    nats.on("data", (data) => {
      received += data.length;
      nats.pause();
      socket.write(data);
      void next(received).then(() => nats.resume());
    });
    const ends = [socket, nats];
    for (const end of ends)
      end
        .on("error", () => {})
        .on("close", () => {
          for (const each of ends) each.destroy();
        });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  scope.after(() => void server.close());
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const rowBytes = 500_000;
const largeRow = (ref: string) =>
  toBinary(
    StateRowSchema,
    stateRowToProto(rowFor("fra", ref, { longOutput: "x".repeat(rowBytes) }), { realm: "fra", atMs: 1 }),
  );

/** Publishes a number of large rows. */
async function publishLargeRows(connection: NatsConnection, count: number): Promise<void> {
  await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const names = Array.from({ length: count }, (_, at) => `h${at}`);
  await Promise.all(names.map((name) => connection.jetstream().publish(rowSubject("fra", name), largeRow(name))));
}

test("[FD98] many large rows are read slowly without exceeding what NATS buffers for a connection", async (t) => {
  const nats = await openNats(t, "max_pending: 32MB");
  await publishLargeRows((await nats.connect("agent")).connection, 120);
  const url = await openSlowPort(t, nats.port, () => sleep(systemClock, 1));
  const { bus } = await nats.connect("aggregator", url);
  const on = openTestIngest(bus, { consumerPrefix: "slow" });
  await until("all rows are written", () => new Set(on.refs()).size === 120);
  assert.equal(bus.connections(), 1);
  await on.ingest.close();
});

test("[FD98] a connection that NATS closes because it is not read loses no row", async (t) => {
  const monitoring = await freePort();
  const nats = await openNats(t, `max_pending: 2MB\nhttp: 127.0.0.1:${monitoring}`);
  await publishLargeRows((await nats.connect("agent")).connection, 20);
  const closed = Promise.withResolvers<void>();
  const url = await openSlowPort(t, nats.port, async (received) => (received > 100_000 ? closed.promise : undefined));
  const { bus } = await nats.connect("aggregator", url);
  const on = openTestIngest(bus, { consumerPrefix: "unread" });
  await until("NATS closes it", async () => {
    const answer = await fetch(`http://127.0.0.1:${monitoring}/varz`);
    return ((await answer.json()) as { slow_consumers: number }).slow_consumers > 0;
  });
  closed.resolve();
  await until("all rows are written", () => new Set(on.refs()).size === 20);
  assert.ok(bus.connections() > 1);
  await on.ingest.close();
});

test("[FD98] a message larger than a request is refused, and delays nothing behind it", async (t) => {
  const nats = await openNats(t, "max_payload: 8MB");
  const { bus, connection } = await nats.connect("aggregator");
  await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const publish = (name: string, data: Uint8Array) => connection.jetstream().publish(rowSubject("fra", name), data);
  await publish("large", new Uint8Array(5 * 2 ** 20));
  await publish("small", encodedRow("fra", "small"));
  const on = openTestIngest(bus, { consumerPrefix: "oversized" });
  await until("the small row is written", () => on.refs().includes("fra small"));
  assert.deepEqual(on.rejected, ["fra too_large"]);
  await on.ingest.close();
  const refused: string[] = [];
  const written: string[] = [];
  await replayStream(connection, {
    ...{ stream: "state", sinceMs: 0, realms: undefined },
    options: {
      ...{ clock: systemClock, isListed: () => true },
      write: async ({ changes }) => void written.push(...changes.map((change) => refOf(keyOfChange(change)))),
      events: { ...silentEvents, onRejected: ({ reason }) => void refused.push(reason) },
    },
  });
  assert.deepEqual([refused, written], [["too_large"], ["small"]]);
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

for (const followed of [true, false])
  test(`[FD102] without Redis a lost message is read again, ${followed ? "" : "not "}followed by others`, async (t) => {
    const nats = await openNats(t, "");
    const { bus, connection } = await nats.connect("aggregator");
    const jsm = await connection.jetstreamManager();
    await setUpStreams(jsm, [stateStream, eventStream]);
    const on = openTestIngest(bus);
    await until("it has a consumer", () => on.ingest.caughtUp());
    const publish = (name: string) => connection.jetstream().publish(rowSubject("fra", name), encodedRow("fra", name));
    const [own] = await jsm.consumers.list(stateStream.name).next();
    // Another reader of the same consumer takes one message, which is then lost to the aggregator.
    const thief = (await nats.connect("thief")).connection.jetstream();
    const taken = (await thief.consumers.get(stateStream.name, own?.name)).next({ expires: 60_000 });
    let lost: string | undefined;
    void taken.then((message) => (lost = message?.subject));
    for (let at = 0; lost === undefined; at += 1) {
      await publish(`h${at}`);
      await until("it is written or lost", () => lost !== undefined || on.refs().includes(`fra h${at}`));
    }
    if (followed) await publish("later");
    const isWritten = (): boolean => on.refs().some((ref) => rowSubject("fra", ref.slice("fra ".length)) === lost);
    await until("the lost message is written", isWritten);
    await on.ingest.close();
  });

test("[FD102] a reader that fails while as many messages wait as may ends, and its successor reads all", async (t) => {
  const nats = await openNats(t, "");
  const { connection } = await nats.connect("aggregator");
  const jsm = await connection.jetstreamManager();
  await setUpStreams(jsm, [stateStream, eventStream]);
  const count = 6_000;
  for (let at = 0; at < count; at += 1) connection.publish(rowSubject("fra", `h${at}`), new Uint8Array(1));
  await connection.flush();
  const stream = stateStream.name;
  await until("all are stored", async () => (await jsm.streams.info(stream)).state.messages === count);
  const position = { received: 0, written: 0, writtenSeq: 0 };
  const closing = new AbortController();
  const consume = (onBatch: (size: number) => Promise<void>): Promise<void> =>
    consumeStream(
      connection,
      { stream, durable: "own", position, sinceMs: 0 },
      { signal: closing.signal, clock: systemClock, onBatch: ({ messages }) => onBatch(messages.length) },
    );
  const failing = consume(async (size) => {
    await until("as many wait as may", () => position.received >= 4_000 + size);
    throw new Error("the store is away");
  });
  await assert.rejects(failing, /the store is away/);
  assert.ok(position.received < count);
  let read = 0;
  await consume(async (size) => {
    read += size;
    if (read === count) closing.abort();
  });
  assert.equal(read, count);
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
