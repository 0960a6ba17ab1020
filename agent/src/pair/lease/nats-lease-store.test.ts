import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { stopProcess } from "@realmwatch/shared/platform/testing/stop-process.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { leaseStream, leaseSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type JetStreamManager, type NatsConnection } from "nats";
import type { Lease, LeaseReading } from "./lease-store.ts";
import { NatsLeaseStore } from "./nats-lease-store.ts";

let server: SpawnedServer;
let centre: NatsConnection;
let jsm: JetStreamManager;
const bus = { live: () => centre as NatsConnection | undefined, connectionError: () => "closed by the test" };
const store = new NatsLeaseStore({ bus, realm: "fra", timeoutMs: 2_000 });

before(async () => {
  server = await startNatsServer();
  centre = await connect({ servers: server.url });
  jsm = await centre.jetstreamManager();
});
beforeEach(async () => {
  await jsm.streams.delete(leaseStream.name).catch(() => false);
  assert.deepEqual((await setUpStreams(jsm, [leaseStream])).problems, []);
});
after(async () => {
  await centre.close();
  await server[Symbol.asyncDispose]();
});

const lease: Lease = {
  ...{ member: "fra-a", instance: "i1", term: 1_795_000_000_000, epoch: 1_795_000_000_000 },
  ...{ inSync: true, goodbye: false, at: 1_795_000_000_123 },
};

async function reading(): Promise<LeaseReading> {
  const read = await store.read();
  assert.ok(read.ok, read.ok ? "" : read.error);
  return read.value;
}

test("[PA20] of two members that write on the same sequence number one succeeds, the other has a conflict", async () => {
  const first = await store.write(lease, 0);
  assert.ok(first.kind === "written");
  const both = await Promise.all([
    store.write({ ...lease, member: "fra-a" }, first.seq),
    store.write({ ...lease, member: "fra-b" }, first.seq),
  ]);
  assert.deepEqual(both.map(({ kind }) => kind).sort(), ["conflict", "written"]);
  const winner = both[0]?.kind === "written" ? "fra-a" : "fra-b";
  const { seq, lease: stored } = await reading();
  assert.deepEqual([seq, stored?.member], [first.seq + 1, winner]);
  assert.deepEqual(await store.write(lease, 0), { kind: "conflict" });
  assert.deepEqual(await store.write(lease, first.seq + 7), { kind: "conflict" });
});

test("[PA20] a lease is read as it was written, and leases of other realms are separate", async () => {
  const ams = new NatsLeaseStore({ bus, realm: "ams", timeoutMs: 2_000 });
  assert.equal((await ams.write({ ...lease, member: "ams-a" }, 0)).kind, "written");
  const written = await store.write(lease, 0);
  assert.ok(written.kind === "written");
  const { stream, ...rest } = await reading();
  assert.match(stream, /^[0-9a-f]{32}$/);
  assert.deepEqual(rest, { seq: written.seq, lease });
});

test("[PA21] a stream that was deleted and created anew has another identity; a purge and a mending keep it", async () => {
  const { stream } = await reading();
  assert.equal((await store.write(lease, 0)).kind, "written");
  await jsm.streams.purge(leaseStream.name);
  assert.deepEqual(await reading(), { stream, seq: 0, lease: undefined });
  assert.deepEqual(await setUpStreams(jsm, [leaseStream]), { changes: [], problems: [] });
  assert.equal((await reading()).stream, stream);
  await jsm.streams.delete(leaseStream.name);
  assert.match(await failure(), /^NATS has no stream SVC_LEASE|^no stream SVC_LEASE/);
  await setUpStreams(jsm, [leaseStream]);
  assert.notEqual((await reading()).stream, stream);
});

async function failure(): Promise<string> {
  const read = await store.read();
  return read.ok ? "" : read.error;
}

test("[PA21] a stream that an operator made gets one identity, whichever aggregators set it", async () => {
  await jsm.streams.delete(leaseStream.name);
  await jsm.streams.add({ name: leaseStream.name, subjects: ["svc.v1.lease.*"], allow_direct: true });
  assert.match(await failure(), /has no identity in its description: run `realmwatch-aggregator nats-setup`$/);
  const set = await Promise.all([setUpStreams(jsm, [leaseStream]), setUpStreams(jsm, [leaseStream])]);
  assert.deepEqual(
    set.flatMap(({ problems }) => problems),
    [],
  );
  const { stream } = await reading();
  await setUpStreams(jsm, [leaseStream]);
  assert.equal((await reading()).stream, stream);
  const { config } = await jsm.streams.info(leaseStream.name);
  assert.deepEqual(
    [config.allow_direct, config.max_msgs_per_subject, config.max_msg_size, config.discard],
    [false, 1, 4_096, "new"],
  );
});

const damaged: readonly (readonly [name: string, text: string])[] = [
  ["text", "hello"],
  ["nothing", ""],
  ["another JSON value", "[1]"],
  ["null", "null"],
  ["a lease without a member", JSON.stringify({ ...lease, member: undefined })],
  ["a member of another form", JSON.stringify({ ...lease, member: "../x" })],
  ["a negative term", JSON.stringify({ ...lease, term: -1 })],
  ["a term of 0", JSON.stringify({ ...lease, term: 0 })],
  ["a term above 2^53", JSON.stringify(lease).replace(/"term":\d+/, '"term":9007199254740993')],
  ["a term that is text", JSON.stringify({ ...lease, term: "1795000000000" })],
  ["an epoch with a fraction", JSON.stringify({ ...lease, epoch: 1.5 })],
  ["inSync of another type", JSON.stringify({ ...lease, inSync: 1 })],
  ["a negative time", JSON.stringify({ ...lease, at: -5 })],
  ["bytes that are no UTF-8", "\u0000\uFFFD{"],
];
for (const [name, text] of damaged)
  test(`[PA22] ${name} is not a lease, and is named with its sequence number`, async () => {
    const { seq } = await centre.jetstream().publish(leaseSubject("fra"), text);
    const read = await reading();
    assert.deepEqual([read.seq, read.lease], [seq, undefined]);
    assert.match(read.problem ?? "", /^message \d+ of svc\.v1\.lease\.fra is not a lease: it /);
    assert.equal((await store.write(lease, seq)).kind, "written");
  });

test("[PA22] a huge message is refused by the stream; where it is in it, it is not a lease", async () => {
  const huge = JSON.stringify({ ...lease, more: "x".repeat(500_000) });
  await assert.rejects(centre.jetstream().publish(leaseSubject("fra"), huge), /exceeds maximum/);
  await jsm.streams.update(leaseStream.name, { max_msg_size: -1 });
  await centre.jetstream().publish(leaseSubject("fra"), huge);
  const read = await reading();
  assert.equal(read.lease, undefined);
  assert.match(read.problem ?? "", /has 5\d{5} bytes, more than 4096$/);
});

test("[PA23] without an answer the outcome of a write is unknown, and a read fails, both with a sentence", async () => {
  const away = new NatsLeaseStore({
    bus: { live: () => undefined, connectionError: () => "connection lost" },
    realm: "fra",
    timeoutMs: 100,
  });
  assert.deepEqual(await away.write(lease, 0), { kind: "unknown", why: "NATS is away: connection lost" });
  assert.deepEqual(await away.read(), { ok: false, error: "NATS is away: connection lost" });

  await jsm.streams.delete(leaseStream.name);
  const written = await store.write(lease, 0);
  assert.match(written.kind === "unknown" ? written.why : "", /no stream SVC_LEASE answers/);

  // The subscriber receives the request and does not answer, so the outcome of the write is unknown.
  const silent = centre.subscribe(leaseSubject("fra"));
  const quick = new NatsLeaseStore({ bus, realm: "fra", timeoutMs: 100 });
  assert.deepEqual(await quick.write(lease, 0), {
    kind: "unknown",
    why: "the lease cannot be written: NATS does not answer in time",
  });
  silent.unsubscribe();
});

test("[PA23] what another stream acknowledges, a hostile subscriber answers or a limit refuses is not written", async () => {
  await jsm.streams.delete(leaseStream.name);
  for (const [answer, why] of [
    ["no JSON", /cannot be written/],
    ["{}", /acknowledges it in place/],
    [JSON.stringify({ stream: "OTHER", seq: 4 }), /stream OTHER acknowledges it in place of SVC_LEASE/],
    [JSON.stringify({ stream: "SVC_LEASE", seq: -4 }), /acknowledges it in place/],
    [JSON.stringify({ error: { err_code: 10077, description: "maximum bytes exceeded" } }), /maximum bytes exceeded/],
  ] as const) {
    const liar = centre.subscribe(leaseSubject("fra"), { callback: (_, message) => void message.respond(answer) });
    const written = await store.write(lease, 0);
    liar.unsubscribe();
    assert.match(written.kind === "unknown" ? written.why : written.kind, why);
  }
});

test("[PA23] while the server hangs, a write ends after its timeout; the lease that stands then is read after the heal", async (t) => {
  const first = await store.write(lease, 0);
  assert.ok(first.kind === "written");
  const log = { info() {}, warn() {} };
  const own = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
  t.after(() => own.close());
  await until("connected", () => own.live());
  const over = new NatsLeaseStore({ bus: own, realm: "fra", timeoutMs: 200 });
  stopProcess(server.pid);
  try {
    assert.equal((await over.write({ ...lease, at: lease.at + 1 }, first.seq)).kind, "unknown");
    assert.equal((await over.read()).ok, false);
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  const { lease: stands } = await until("the write that was under way is in the stream", async () => {
    const read = await over.read();
    return read.ok && read.value.seq > first.seq && read.value;
  });
  assert.equal(stands?.at, lease.at + 1);
});
