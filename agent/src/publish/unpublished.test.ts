import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { realmEventFromProto } from "@realmwatch/shared/wire/history";
import { natsDependency } from "./nats-publisher.ts";
import { publishMetrics } from "./publish-metrics.ts";
import {
  answerHeartbeats,
  makeStreams,
  openPublisher,
  published,
  type RealmPublisher,
  readBroker,
  realmOf,
  type TestRealm,
  withLogin,
} from "./publisher.fixture.ts";

/** Path of a configuration of nats-server that `write` writes anew. */
function configFile(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-limits-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "nats.conf");
  return { path, write: (text: string): void => writeFileSync(path, text) };
}

/** Gives a row labels that cannot be cut. */
function setLabels(realm: TestRealm, name: string, bytes: number): void {
  const row = realm.rows.get(name);
  if (row === undefined) throw new Error(`there is no row ${name}`);
  realm.rows.set(name, { ...row, about: { ...row.about, labels: { text: "x".repeat(bytes) } } });
}

async function unpublishedMetric(t: TestContext, publisher: RealmPublisher): Promise<readonly string[]> {
  const metrics = openMetrics({ version: "v0", commit: "unknown" });
  t.after(() => metrics.close());
  const bus = { live: () => undefined, connections: () => 1, loginRefused: () => false };
  publishMetrics(metrics, { clock: systemClock, bus, state: () => publisher.state() });
  return (await metrics.render()).text.match(/^realmwatch_unpublished.*$/gm) ?? [];
}

test("[FD70] a row above max_payload stays in the claim, over a restart too, until a greater limit lets it through", async (t) => {
  const { path, write } = configFile(t);
  write("max_payload: 64KB");
  await using server = await startNatsServer(["-c", path]);
  await makeStreams(server.url);
  const heard = await answerHeartbeats(t, server.url, () => ({}));
  const realm = realmOf(["a", "b"]);
  setLabels(realm, "a", 100_000);
  for (const instance of ["one", "two"]) {
    const { publisher } = openPublisher(t, { url: server.url, realm, instance });
    await published(publisher);
    const isOfThis = (): boolean => heard.at(-1)?.instance === instance && heard.at(-1)?.published === 2n;
    await until("a heartbeat about both rows", isOfThis, { seen: () => heard.at(-1) });
    const last = heard.at(-1);
    assert.deepEqual([last?.rows, last?.storedRows, last?.digest !== last?.storedDigest], [2, 1, true]);
    const [refused] = last?.unpublished ?? [];
    assert.deepEqual([refused?.number, refused?.first], [1, "a"]);
    assert.match(
      refused?.reason ?? "",
      /^the message has 100\d\d\d bytes, and NATS takes at most 65536 \(max_payload\)$/,
    );
    const { ok, detail } = natsDependency(publisher.state());
    assert.equal(ok, false);
    assert.match(detail, /^1 row is not published: a: the message has 100\d\d\d bytes/);
    assert.deepEqual(await unpublishedMetric(t, publisher), [
      'realmwatch_unpublished{kind="row"} 1',
      'realmwatch_unpublished{kind="catalog"} 0',
      'realmwatch_unpublished{kind="record"} 0',
    ]);
    if (instance === "one") await publisher.close();
    else {
      await server.stop();
      write("max_payload: 512KB");
      await server.restart();
      await until("the row is stored", () => publisher.state().unpublished.length === 0);
      assert.deepEqual(natsDependency(publisher.state()), {
        ...{ name: "nats", ok: true, needed: false, detail: "connected" },
      });
      await until("it is proven", () => heard.at(-1)?.unpublished.length === 0 && heard.at(-1)?.storedRows === 2);
      assert.equal(heard.at(-1)?.digest, heard.at(-1)?.storedDigest);
    }
  }
});

test("[WI6] a row is cut to the max_payload of the server, anew when a reconnection shows another one", async (t) => {
  const { path, write } = configFile(t);
  write("max_payload: 64KB");
  await using server = await startNatsServer(["-c", path]);
  await makeStreams(server.url);
  const realm = realmOf(["a"]);
  const { publisher } = openPublisher(t, { url: server.url, realm });
  await published(publisher);
  const output = "o".repeat(100_000);
  const publish = async (revision: bigint) => {
    publisher.rows([{ change: realm.change("a", output), urgent: true }]);
    return until("the row is stored", () =>
      readBroker(server.url, async ({ row }) => {
        const stored = await row("a");
        return stored?.revision === revision && stored;
      }),
    );
  };
  const cut = await publish(2n);
  assert.deepEqual([cut.truncated, cut.row?.truncated], [true, true]);
  assert.ok((cut.row?.output.length ?? 0) > 60_000, "only as much as needed is cut");
  await server.stop();
  write("max_payload: 512KB");
  await server.restart();
  assert.equal((await publish(3n)).row?.output, output);
  assert.deepEqual(publisher.state().unpublished, []);
});

test("[FD70] what NATS denies stays in the claim and delays no other message", async (t) => {
  const { path, write } = configFile(t);
  write(`authorization { users = [
    { user: agent, password: a, permissions: { publish: { deny: ["svc.v1.event.r", "svc.v1.state.r.host.YQ"] } } }
    { user: centre, password: c }
  ] }`);
  await using server = await startNatsServer(["-c", path]);
  const centre = withLogin(server, "centre:c");
  await makeStreams(centre);
  const heard = await answerHeartbeats(t, centre, () => ({}));
  const realm = realmOf(["a", "b"]);
  realm.record("e1");
  const { publisher } = openPublisher(t, { url: withLogin(server, "agent:a"), realm });
  await until("two kinds are unpublished", () => publisher.state().unpublished.length === 2);
  publisher.rows([{ change: realm.change("b", "broken"), urgent: true }]);
  await until("the other row is stored", () =>
    readBroker(centre, async ({ row }) => (await row("b"))?.row?.output === "broken"),
  );
  assert.equal(publisher.state().error, "");
  assert.deepEqual(publisher.state().unpublished, [
    { kind: "row", number: 1, first: "a", reason: "no permission to publish on svc.v1.state.r" },
    { kind: "record", number: 1, first: "1", reason: "no permission to publish on svc.v1.event.r" },
  ]);
  await until("a heartbeat says so", () => heard.at(-1)?.unpublished.length === 2);
  assert.deepEqual([heard.at(-1)?.rows, heard.at(-1)?.storedRows], [2, 1]);
});

test("[FD75] a record above max_payload is cut; in place of one that cannot be cut a gap record is published", async (t) => {
  const { path, write } = configFile(t);
  write("max_payload: 64KB");
  await using server = await startNatsServer(["-c", path]);
  await makeStreams(server.url);
  await answerHeartbeats(t, server.url, () => ({}));
  const realm = realmOf(["a"]);
  const about = { realm: "", key: { kind: "host", name: "a" } } as const;
  realm.history.push(
    { ...about, seq: 1, atMs: 10, type: "state", output: "x".repeat(100_000) },
    { ...about, seq: 2, atMs: 20, type: "acknowledged", author: "y".repeat(50_000), comment: "é".repeat(50_000) },
    { ...about, seq: 3, atMs: 30, type: "notification", contact: "z".repeat(100_000) },
    { ...about, seq: 4, atMs: 40, type: "state", output: "short" },
  );
  const { publisher } = openPublisher(t, { url: server.url, realm });
  await published(publisher);
  const records = await readBroker(server.url, async ({ jsm }) =>
    Promise.all(
      realm.history.map(async ({ seq }) => {
        const { data } = await jsm.streams.getMessage("SVC_EVENTS", { seq });
        const record = realmEventFromProto(fromBinary(RealmEventSchema, data));
        assert.ok(record.ok && data.length <= 65_536);
        return record.value;
      }),
    ),
  );
  const [output, comment, gap, whole] = records;
  assert.ok(output?.truncated && /^x{60000,}$/.test(output.output ?? ""));
  assert.ok(comment?.truncated && comment.author === "y".repeat(50_000) && /^é+$/.test(comment.comment ?? ""));
  assert.deepEqual(
    [gap?.seq, gap?.atMs, gap?.type, gap?.key],
    [3, 30, "gap", { kind: "host", name: "a" }],
    "the number, time and object of the record",
  );
  assert.match(
    gap?.comment ?? "",
    /^history record 3 is not published: the message has 100\d+ bytes, and NATS takes at most 6\d{4}$/,
  );
  assert.deepEqual(whole, { ...realm.history[3], realm: "r" });
  assert.deepEqual([publisher.state().unpublished, publisher.state().droppedEvents], [[], 1]);
});
