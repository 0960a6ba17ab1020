import assert from "node:assert/strict";
import { test } from "node:test";
import * as live from "./realm-liveness.ts";

const limit = 15_000;
const start = 1_795_000_000_000;
const at = (seconds: number, wallSeconds = seconds): live.ClockReadings => ({
  nowMs: start + wallSeconds * 1000,
  monotonicMs: seconds * 1000,
});
const beat = (sentAtMs: number | undefined = start): live.Heartbeat => ({
  realm: "fra",
  instance: "i",
  epoch: 7,
  revision: 3,
  sentAtMs,
  version: "dev",
  previousInstance: "",
  eventSeq: 0,
  claim: undefined,
  error: "",
});
const received = live.livenessAfterHeartbeat(live.neverSeenLiveness, beat(), at(0));
const fromOther = { ...received, heartbeatMonotonicMs: undefined };
const stored = { ...live.neverSeenLiveness, storedAtMs: start };

const rows: readonly [
  rule: string,
  liveness: live.RealmLiveness,
  readings: live.ClockReadings,
  reachable: boolean,
  lastSeen: number | undefined,
][] = [
  [
    "a realm without any heartbeat is unreachable and has no last_seen",
    live.neverSeenLiveness,
    at(0),
    false,
    undefined,
  ],
  ["a heartbeat makes the realm reachable", received, at(0), true, start],
  ["at the limit itself the realm is still reachable", received, at(15), true, start],
  ["without heartbeats beyond the limit it is unreachable, and last_seen stays", received, at(15.001), false, start],
  ["a wall clock that jumps ahead does not make it unreachable", received, at(1, 3600), true, start],
  ["a wall clock that jumps back does not keep it reachable", received, at(20, -3600), false, start],
  ["a stored message sets last_seen but does not make it reachable", stored, at(0), false, start],
  ["a heartbeat from before the restart counts while it is recent", fromOther, at(0, 10), true, start],
  ["a realm that stopped during the restart is unreachable", fromOther, at(0, 20), false, start],
];
for (const [rule, liveness, readings, reachable, lastSeen] of rows)
  test(rule, () => {
    assert.equal(live.isReachable(liveness, limit, readings), reachable);
    assert.equal(live.lastSeenAtMs(liveness), lastSeen);
    assert.equal(live.reachableForMs(liveness, limit, readings) !== undefined, reachable);
  });

test("clock skew is the realm's clock minus the aggregator's at arrival", () => {
  assert.equal(live.livenessAfterHeartbeat(live.neverSeenLiveness, beat(start + 300_000), at(1)).clockSkewMs, 299_000);
  assert.equal(
    live.livenessAfterHeartbeat(live.neverSeenLiveness, { ...beat(), sentAtMs: undefined }, at(1)).clockSkewMs,
    undefined,
  );
});
test("the realm turns unreachable exactly after the returned time", () => {
  const remainingMs = live.reachableForMs(received, limit, at(5)) ?? 0;
  const readingsAfter = (ms: number): live.ClockReadings => ({ nowMs: start + 5_000 + ms, monotonicMs: 5_000 + ms });
  assert.equal(live.isReachable(received, limit, readingsAfter(remainingMs - 1)), true);
  assert.equal(live.isReachable(received, limit, readingsAfter(remainingMs)), false);
});
test("an earlier heartbeat of another process is ignored, a later one is merged", () => {
  const later = { ...fromOther, heartbeatAtMs: start + 9_000, epoch: 8 };
  assert.deepEqual(live.mergeLiveness(later, fromOther), later);
  assert.deepEqual(live.mergeLiveness(fromOther, later), later);
  assert.deepEqual(live.mergeLiveness(live.neverSeenLiveness, stored), stored);
});
test("a heartbeat received by this process wins over another process' clock", () => {
  assert.equal(live.mergeLiveness(received, { ...fromOther, heartbeatAtMs: start + 60_000 }).heartbeatAtMs, start);
});
