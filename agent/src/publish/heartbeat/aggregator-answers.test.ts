import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import {
  answerHeartbeats,
  makeStreams,
  openPublisher,
  published,
  type ReplyFields,
  readBroker,
  realmOf,
  silentLog,
  startNatsWithStreams,
} from "../publisher.fixture.ts";

/** Log that collects the messages of a level. */
function collectingLog(level: "info" | "warn" | "error") {
  const lines: string[] = [];
  const log = { ...silentLog, [level]: (fields: unknown) => lines.push(JSON.stringify(fields)) };
  return { lines, log };
}

test("an answer with a greater epoch makes the agent mint a greater one and publish all rows and a heartbeat", async (t) => {
  await using server = await startNatsWithStreams();
  const heard = await answerHeartbeats(t, server.url, () => ({ greatestEpoch: 5_000n }));
  const realm = realmOf(["a", "b"]);
  const clock = manualClock(2_000);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  assert.equal(realm.epoch, 5_001);
  await until("a heartbeat at once", () => heard.at(-1)?.epoch === 5_001n);
  await readBroker(server.url, async (broker) => {
    const marker = await broker.epoch();
    assert.deepEqual([marker?.epoch, marker?.complete, marker?.rows], [5_001n, true, 2]);
    const row = await broker.row("b");
    assert.deepEqual([row?.epoch, row?.published], [5_001n, 2n]);
  });
});

test("an epoch more than a day ahead of the own clock is ignored, logged once and shown", async (t) => {
  await using server = await startNatsWithStreams();
  const poisoned = 200_000_000n;
  const heard = await answerHeartbeats(t, server.url, () => ({ greatestEpoch: poisoned }));
  const realm = realmOf(["a"]);
  const { lines, log } = collectingLog("error");
  const clock = manualClock(2_000);
  const { publisher } = openPublisher(t, { url: server.url, realm, log, clock });
  await published(publisher);
  assert.equal(realm.epoch, 1_000);
  assert.match(publisher.state().error, /holds epoch 200000000, more than 24 h ahead/);
  clock.advance(5_000);
  await until("the second heartbeat names the error", () => /more than 24 h ahead/.test(heard.at(-1)?.error ?? ""));
  assert.equal(lines.length, 1);
});

test("[FD80] when the clock is set back by more than a day, all rows are published under an epoch of the set clock", async (t) => {
  await using server = await startNatsWithStreams();
  const day = 86_400_000;
  await answerHeartbeats(t, server.url, () => ({ greatestEpoch: 5_000n }));
  const realm = realmOf(["a"]);
  realm.epoch = 40 * day;
  let wallMs = 40 * day;
  const monotonic = manualClock(0);
  const clock = { ...monotonic, now: () => wallMs };
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  assert.equal(realm.epoch, 40 * day);
  wallMs = 2_000;
  monotonic.advance(5_000);
  await until("a new epoch", () => realm.epoch === 5_001);
  await published(publisher);
  await readBroker(server.url, async (broker) => {
    const [marker, row] = [await broker.epoch(), await broker.row("a")];
    assert.deepEqual([marker?.epoch, marker?.complete, row?.epoch], [5_001n, true, 5_001n]);
  });
});

test("all rows are published again when the aggregator asks for it, at most once in 30 s", async (t) => {
  await using server = await startNatsWithStreams();
  let reply: ReplyFields = {};
  const heard = await answerHeartbeats(t, server.url, () => reply);
  const realm = realmOf(["a", "b"]);
  const clock = manualClock(2_000);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  await readBroker(server.url, async ({ jsm }) => void (await jsm.streams.purge("SVC_STATE")));
  reply = { republish: true };
  clock.advance(5_000);
  await readBroker(server.url, async (broker) => {
    await until("the marker", async () => (await broker.epoch())?.complete === true);
    const row = await broker.row("b");
    assert.deepEqual([(row?.epoch ?? 0n) > 1_000n, row?.published], [true, 2n], "the epoch is a new one");
  });
  await published(publisher);
  const { stored } = publisher.state();
  const answered = heard.length;
  clock.advance(5_000);
  await until("another answer", () => heard.length > answered);
  await published(publisher);
  assert.equal(publisher.state().stored, stored);
  for (let s = 0; s < 6; s++) clock.advance(5_000);
  await until("the next repetition", () => publisher.state().stored > stored);
  const epoch = Number(heard.at(-1)?.epoch);
  assert.ok(epoch > 1_000);
});

test("[FD61] rows of a stream that was made anew shortly after a repetition are published again later", async (t) => {
  await using server = await startNatsWithStreams();
  let reply: ReplyFields = {};
  await answerHeartbeats(t, server.url, () => reply);
  const realm = realmOf(["a", "b"]);
  const clock = manualClock(2_000);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  const before = publisher.state().stored;
  reply = { republish: true };
  clock.advance(5_000);
  await until("a first repetition", () => publisher.state().stored > before);
  await published(publisher);
  reply = {};
  await readBroker(server.url, async (broker) => {
    await broker.jsm.streams.delete("SVC_STATE");
    await makeStreams(server.url);
    publisher.rows([{ change: realm.change("a", "after the loss"), urgent: true }]);
    await until(
      "a row arrives in the new stream",
      async () => (await broker.row("a"))?.row?.output === "after the loss",
    );
    assert.equal(await broker.row("b"), undefined);
    await until("the other row", async () => {
      clock.advance(5_000);
      return (await broker.row("b")) !== undefined;
    });
  });
});

test("[NB5] when the journal is an older copy, history continues after the last record of the stream", async (t) => {
  await using server = await startNatsWithStreams();
  await answerHeartbeats(t, server.url, () => ({ eventSeqKnown: true, eventSeq: 20n }));
  const restored = realmOf(["a"]);
  for (let i = 1; i <= 5; i++) restored.record(`e${i}`);
  restored.cursor = 5;
  const { publisher } = openPublisher(t, { url: server.url, realm: restored });
  await until("numbering continues after the stream's last record", () =>
    restored.history.some((record) => record.seq === 21),
  );
  await published(publisher);
  assert.equal(restored.cursor, 21);
});

test("history that the stream has lost is published again, from the record that the aggregator names", async (t) => {
  await using server = await startNatsWithStreams();
  let reply: ReplyFields = { eventSeq: 0n };
  const heard = await answerHeartbeats(t, server.url, () => reply);
  const realm = realmOf(["a"]);
  for (let i = 1; i <= 10; i++) realm.record(`e${i}`);
  realm.cursor = 10;
  const clock = manualClock(2_000);
  const { publisher } = openPublisher(t, { url: server.url, realm, clock });
  await published(publisher);
  await until("an answer", () => heard.length > 0);
  await readBroker(server.url, async (broker) => {
    assert.deepEqual(await broker.events(), [], "an answer that does not know the sequence changes nothing");
    reply = { eventSeqKnown: true, eventSeq: 7n };
    clock.advance(5_000);
    await until("the lost records", async () => (await broker.events()).length === 3);
    assert.deepEqual(
      (await broker.events()).map(([seq]) => seq),
      [8, 9, 10],
    );
  });
});

test("[FD81] an agent whose previous instance is still followed takes calls, and publishes when it is followed itself", async (t) => {
  await using server = await startNatsWithStreams();
  let followed = "zero";
  const heard = await answerHeartbeats(t, server.url, () => ({ instance: followed }));
  const { lines, log } = collectingLog("error");
  const clock = manualClock(1_000);
  const { publisher, bus } = openPublisher(t, {
    url: server.url,
    realm: realmOf(["a"]),
    clock,
    log,
    previousInstance: "zero",
  });
  await until("it is answered", () => heard.length === 1);
  await bus.live()?.flush();
  clock.advance(1_000);
  await until("a heartbeat after 2 s", () => {
    clock.advance(1_000);
    return heard.length === 2;
  });
  const { heldReason, otherInstance, stored } = publisher.state();
  assert.deepEqual([heldReason, otherInstance, stored, lines], ["", undefined, 0, []]);
  followed = "one";
  clock.advance(2_000);
  await published(publisher);
});

test("[NB6] of two agents of one realm only the one that the aggregator follows publishes and takes calls", async (t) => {
  await using server = await startNatsWithStreams();
  let followed = "two";
  await answerHeartbeats(t, server.url, () => ({ instance: followed }));
  const { lines, log } = collectingLog("error");
  const clock = manualClock(1_000);
  const older = realmOf(["a"]);
  const one = openPublisher(t, { url: server.url, realm: older, clock, log, instance: "one" });
  await until("the agent learns that it is not followed", () => one.publisher.state().otherInstance === "two");
  const { error, heldReason, stored } = one.publisher.state();
  assert.equal(heldReason, "the aggregator follows another agent of this realm, instance two");
  assert.deepEqual([error, stored], [heldReason, 0]);
  const later = realmOf(["a"]);
  const two = openPublisher(t, { url: server.url, realm: later, instance: "two" });
  await published(two.publisher);
  one.publisher.rows([{ change: older.change("a", "from agent one"), urgent: true }]);
  two.publisher.rows([{ change: later.change("a", "from agent two"), urgent: true }]);
  await published(two.publisher);
  await readBroker(server.url, async (broker) => assert.equal((await broker.row("a"))?.row?.output, "from agent two"));
  clock.advance(5_000);
  assert.equal(lines.length, 1, "logged once");

  await two.publisher.close();
  followed = "one";
  clock.advance(5_000);
  await published(one.publisher);
  assert.deepEqual([one.publisher.state().error, one.publisher.state().otherInstance], ["", undefined]);
  await readBroker(server.url, async (broker) => assert.equal((await broker.row("a"))?.row?.output, "from agent one"));
});
