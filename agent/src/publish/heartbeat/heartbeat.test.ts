import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import {
  answerHeartbeats,
  type BrokerView,
  hostKey,
  makeStreams,
  openPublisher,
  published,
  readBroker,
  realmOf,
  startNatsWithStreams,
} from "../publisher.fixture.ts";

const term = (name: string, epoch: number, revision: number): bigint =>
  rowDigestTerm(objectToken(hostKey(name)), epoch, revision);

test("heartbeats carry the instances, the epoch and the digest of the acknowledged rows", async (t) => {
  await using server = await startNatsWithStreams();
  const heard = await answerHeartbeats(t, server.url, () => ({}));
  const realm = realmOf(["a", "b"]);
  const { publisher } = openPublisher(t, { url: server.url, realm, previousInstance: "zero" });
  const [first] = await until("a heartbeat", () => heard.length > 0 && heard);
  assert.deepEqual(
    [first?.realm, first?.instance, first?.previousInstance, first?.epoch, first?.hosts, first?.configHash],
    ["r", "one", "zero", 1_000n, 2, "h"],
  );
  assert.deepEqual([first?.rows, first?.digest, first?.published], [0, 0n, 0n], "nothing is acknowledged yet");
  await published(publisher);
  publisher.rows([
    { change: realm.change("a", "broken"), urgent: true },
    { change: realm.remove("b"), urgent: true },
  ]);
  const evidence = await until("a heartbeat about the changes", () => heard.find((h) => h.published === 4n), {
    seen: () => heard.at(-1),
  });
  assert.deepEqual([evidence.rows, evidence.digest, evidence.ackedRevision], [1, term("a", 1_000, 2), 3n]);
  assert.equal(evidence.error, "");
  await readBroker(server.url, async (broker) => {
    assert.equal((await broker.row("a"))?.published, 3n);
    assert.equal((await broker.row("b"))?.published, 4n);
  });
});

test("heartbeats are sent every 5 s, and every 2 s while the digest changes", async (t) => {
  await using server = await startNatsWithStreams();
  const heard = await answerHeartbeats(t, server.url, () => ({}));
  const clock = manualClock(5_000);
  const realm = realmOf(["a"]);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  clock.advance(2_000);
  await until("the digest after the start is reported", () => heard.at(-1)?.published === 1n);
  const before = heard.length;
  clock.advance(4_000);
  assert.equal(heard.length, before, "the digest stands still");
  clock.advance(1_000);
  await until("the regular heartbeat", () => heard.length > before);
  publisher.rows([{ change: realm.change("a", "broken"), urgent: true }]);
  await published(publisher);
  clock.advance(2_000);
  await until("the heartbeat about the change", () => heard.at(-1)?.published === 2n);
  assert.equal(heard.length, before + 2);
  await publisher.close();
  await until("[FD81] the last heartbeat says so", () => heard.at(-1)?.leaving === true);
  assert.deepEqual(
    heard.map(({ leaving }) => leaving),
    [...Array.from({ length: before + 2 }, () => false), true],
  );
});

test("under steady traffic the digest of each heartbeat is that of the messages up to its number", async (t) => {
  await using server = await startNatsServer();
  // This stream keeps every message, so that the set of rows can be computed as of each one.
  const subjects = ["svc.v1.state.>", "svc.v1.catalog.*"];
  await readBroker(server.url, async ({ jsm }) => void (await jsm.streams.add({ name: "SVC_STATE", subjects })));
  const heard = await answerHeartbeats(t, server.url, () => ({}));
  const names = Array.from({ length: 20 }, (_, i) => `h${i}`);
  const realm = realmOf(names);
  const clock = manualClock(5_000);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  for (let round = 1; round <= 30; round++) {
    const changed = names.filter((_, i) => (i + round) % 3 !== 0);
    publisher.rows(
      changed.map((name) => ({
        change: (round + Number(name.slice(1))) % 7 === 0 ? realm.remove(name) : realm.change(name, `round ${round}`),
        urgent: true,
      })),
    );
    const before = heard.length;
    clock.advance(5_000);
    await until("a heartbeat", () => heard.length > before, { everyMs: 1 });
  }
  await until("all rows are stored", () => {
    // After a message that NATS has not stored in time, the sender pauses on this clock.
    if (publisher.state().waitingRows > 0) clock.advance(500);
    return publisher.state().waitingRows === 0;
  });
  clock.advance(5_000);
  const lastHeard = heard.length;
  await until("the last heartbeat", () => heard.length >= lastHeard && heard.at(-1)?.rows === realm.rows.size);
  const messages = await readBroker(server.url, allRowMessages);
  for (const { published: upTo, digest, rows } of heard)
    assert.deepEqual({ upTo, digest, rows }, { upTo, ...setOf(messages.filter((m) => m.published <= upTo)) });
  assert.ok(new Set(heard.map((h) => h.digest)).size > 10, "the heartbeats cover different moments");
});

test("[FD54] a new epoch does not hide a change that is not stored, also when the aggregator asks for all rows", async (t) => {
  await using server = await startNatsWithStreams();
  let republish = false;
  const heard = await answerHeartbeats(t, server.url, () => ({ republish }));
  const clock = manualClock(5_000);
  const realm = realmOf(["a", "b"]);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  await readBroker(server.url, async ({ jsm }) => void (await jsm.streams.delete("SVC_STATE")));
  publisher.rows([{ change: realm.change("a", "broken"), urgent: true }]);
  await until("the change is not stored", () => publisher.state().failed > 0, { seen: publisher.state });
  republish = true;
  clock.advance(8_000);
  const [first] = await until("heartbeats of a new epoch", () => {
    const renewed = heard.filter(({ epoch }) => epoch > 1_000n);
    return renewed.length > 0 && renewed;
  });
  assert.ok((first?.unstoredMs ?? 0) >= 7_000, `unstored for ${first?.unstoredMs} ms`);
  const before = heard.length;
  clock.advance(4_000);
  await until("the next heartbeat", () => heard.length > before);
  assert.ok((heard.at(-1)?.unstoredMs ?? 0) >= 9_000, "the repetition failed too");
  await makeStreams(server.url);
  await until("all rows are stored", () => {
    clock.advance(500);
    return publisher.state().complete && publisher.state().waitingRows === 0;
  });
  clock.advance(5_000);
  await until("a heartbeat without the age", () => heard.at(-1)?.unstoredMs === 0, { seen: () => heard.at(-1) });
});

type RowMessage = ReturnType<typeof fromBinary<typeof StateRowSchema>>;

/** Row messages of the stream in their order. */
async function allRowMessages({ jsm }: BrokerView): Promise<readonly RowMessage[]> {
  const { first_seq, last_seq } = (await jsm.streams.info("SVC_STATE")).state;
  const found: RowMessage[] = [];
  for (let seq = first_seq; seq <= last_seq; seq++) {
    const { subject, data } = await jsm.streams.getMessage("SVC_STATE", { seq });
    if (/\.host\./.test(subject)) found.push(fromBinary(StateRowSchema, data));
  }
  return found;
}

/** Digest and number of the live rows after these messages. */
function setOf(messages: readonly RowMessage[]): { digest: bigint; rows: number } {
  const live = new Map<string, bigint>();
  for (const { row, deleted, epoch, revision } of messages) {
    const name = row?.object?.ref.case === "host" ? row.object.ref.value.name : "";
    if (deleted) live.delete(name);
    else live.set(name, term(name, Number(epoch), Number(revision)));
  }
  return { digest: [...live.values()].reduce((sum, one) => sum ^ one, 0n), rows: live.size };
}
