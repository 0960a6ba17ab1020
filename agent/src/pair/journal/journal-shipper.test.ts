import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { encodeGroup, parseGroupLines } from "../../journal/shipping/group-shipping.ts";
import { JournalShipper, type ShippedTail } from "./journal-shipper.ts";

const counters = { command: 0, history: 0, audit: 0 };

/** A shipper whose journal is at position 10, and a function that commits groups of `bytes` each. */
function start({ maxBytes = 1e6, bytes = 100 } = {}) {
  const clock = manualClock();
  const shipper = new JournalShipper({ clock, maxBytes });
  shipper.start({ position: 10, terms: [], counters, empty: false }, [["nats", 7]]);
  const commit = (...cursors: [string, number][]): number => {
    const position = shipper.lastPosition() + 1;
    const group = { position, term: 1, ops: [{ kind: "document" as const, text: "x".repeat(bytes) }], counters };
    shipper.take({ results: [], groups: [{ position, line: encodeGroup(group) }], counters }, cursors);
    return position;
  };
  return { clock, shipper, commit };
}
const positionsOf = (tail: ShippedTail): readonly number[] | string =>
  tail.kind === "groups" ? parseGroupLines(tail.lines).map(({ position }) => position) : tail.kind;

test("[PA30] a write is answered when the standby has it, in order, or when the pair runs alone", async () => {
  const { shipper, commit } = start();
  const answered: number[] = [];
  const wait = (position: number) =>
    void shipper.confirmed(position, "client").then(({ ok }) => ok && answered.push(position));
  for (let i = 0; i < 4; i++) wait(commit());
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  assert.deepEqual(answered, []);
  shipper.acknowledge(12);
  await settle();
  assert.deepEqual(answered, [11, 12]);
  shipper.runAlone();
  await settle();
  assert.deepEqual(answered, [11, 12, 13, 14]);
  wait(commit());
  await settle();
  assert.deepEqual(answered, [11, 12, 13, 14, 15]);
  shipper.runTogether();
  wait(commit());
  await settle();
  assert.equal(answered.at(-1), 15);
  shipper.end("fra-a gave up its role");
  assert.deepEqual(await shipper.confirmed(16, "client"), { ok: false, error: "fra-a gave up its role" });
  assert.deepEqual(positionsOf(await shipper.next(14, 0)), [15, 16], "the last groups can still be read");
});

test("[PA44] the engine that goes on alone waits no longer, while clients are told nothing", async () => {
  const { shipper, commit } = start();
  const answered: string[] = [];
  const wait = (waiter: "client" | "engine") =>
    void shipper.confirmed(commit(), waiter).then(({ ok }) => ok && answered.push(waiter));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  wait("client");
  wait("engine");
  shipper.setEngineAlone(true);
  wait("engine");
  wait("client");
  await settle();
  assert.deepEqual(answered, ["engine", "engine"]);
  shipper.setEngineAlone(false);
  wait("engine");
  await settle();
  assert.equal(answered.length, 2);
  shipper.acknowledge(15);
  await settle();
  assert.deepEqual(answered, ["engine", "engine", "client", "client", "engine"]);
});

test("[PA31] the standby gets the groups after its position, waits for the first one, and reads a snapshot otherwise", async () => {
  const { clock, shipper, commit } = start();
  const waiting = shipper.next(10, 1_000);
  commit();
  assert.deepEqual(positionsOf(await waiting), [11]);
  commit();
  assert.deepEqual(positionsOf(await shipper.next(10, 1_000)), [11, 12]);
  assert.deepEqual(positionsOf(await shipper.next(11, 1_000)), [12]);
  const nothing = shipper.next(12, 1_000);
  clock.advance(1_000);
  assert.equal((await nothing).kind, "none");
  for (const position of [0, 9, 13]) assert.equal((await shipper.next(position, 0)).kind, "snapshot", `${position}`);
  shipper.acknowledge(11);
  assert.equal((await shipper.next(10, 0)).kind, "snapshot");
  assert.deepEqual(positionsOf(await shipper.next(11, 0)), [12]);
});

test("an answer has at most some MiB, but at least one group", async () => {
  const { shipper, commit } = start({ maxBytes: 1e9, bytes: 900_000 });
  for (let i = 0; i < 5; i++) commit();
  assert.deepEqual(positionsOf(await shipper.next(10, 0)), [11, 12]);
  const large = start({ maxBytes: 1e9, bytes: 5_000_000 });
  large.commit();
  large.commit();
  assert.deepEqual(positionsOf(await large.shipper.next(10, 0)), [11]);
});

test("[PA31] the oldest groups are dropped beyond the limit, which is four times as high while a snapshot is read", async () => {
  const { shipper, commit } = start({ maxBytes: 2_000, bytes: 400 });
  const release = shipper.hold();
  for (let i = 0; i < 10; i++) commit();
  assert.equal((await shipper.next(10, 0)).kind, "groups");
  release();
  assert.equal((await shipper.next(10, 0)).kind, "snapshot");
  assert.deepEqual(positionsOf(await shipper.next(17, 0)), [18, 19, 20]);
  for (let i = 0; i < 3_000; i++) commit();
  assert.deepEqual(positionsOf(await shipper.next(3_018, 0)), [3_019, 3_020]);
});

test("a cursor is sent when the groups before it are", async () => {
  const { shipper, commit } = start({ maxBytes: 1e9, bytes: 1_500_000 });
  commit();
  commit(["nats", 9]);
  const first = await shipper.next(10, 0);
  assert.deepEqual(first.kind === "groups" && [first.to, first.cursors], [11, []]);
  const second = await shipper.next(11, 0);
  assert.deepEqual(second.kind === "groups" && [second.to, second.cursors], [12, [["nats", 9]]]);
});

test("[PA30] the lag is the age of the oldest group that the standby lacks", () => {
  const { clock, shipper, commit } = start();
  clock.advance(50);
  assert.equal(shipper.lagMs(), 50, "until the standby has said what it has");
  shipper.acknowledge(10);
  assert.deepEqual([shipper.lagMs(), shipper.inSync], [0, true]);
  const first = commit();
  void shipper.confirmed(first, "client");
  clock.advance(30);
  void shipper.confirmed(commit(), "client");
  clock.advance(20);
  assert.deepEqual([shipper.lagMs(), shipper.oldestUnconfirmedMs()], [50, 50]);
  shipper.acknowledge(first);
  assert.deepEqual([shipper.lagMs(), shipper.oldestUnconfirmedMs()], [20, 20]);
  shipper.runAlone();
  assert.deepEqual([shipper.lagMs(), shipper.oldestUnconfirmedMs()], [20, 0]);
});

test("a standby that lacks dropped groups lags since the first of them", () => {
  const { clock, shipper, commit } = start({ maxBytes: 500, bytes: 400 });
  shipper.acknowledge(10);
  commit();
  clock.advance(10);
  for (let i = 0; i < 3; i++) commit();
  clock.advance(10);
  assert.equal(shipper.lagMs(), 20);
  shipper.acknowledge(9);
  clock.advance(10);
  assert.equal(shipper.lagMs(), 30);
  shipper.acknowledge(14);
  assert.equal(shipper.lagMs(), 0);
});
