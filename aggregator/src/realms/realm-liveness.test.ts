import assert from "node:assert/strict";
import { test } from "node:test";
import * as reach from "./realm-liveness.ts";

const limit = 15_000;
const start = 1_795_000_000_000;
const at = (seconds: number, wallSeconds = seconds): reach.ClockReadings => ({
  nowMs: start + wallSeconds * 1000,
  monotonicMs: seconds * 1000,
});
const beat = (sentAtMs: number | undefined = start): reach.Heartbeat => ({
  realm: "fra",
  instance: "i",
  epoch: 7,
  revision: 3,
  sentAtMs,
});
const heard = reach.livenessAfterHeartbeat(reach.neverSeenLiveness, beat(), at(0));
const told = { ...heard, heartbeatMonotonicMs: undefined };
const stored = { ...reach.neverSeenLiveness, storedAtMs: start };

const rows: readonly [
  rule: string,
  sighting: reach.RealmLiveness,
  moment: reach.ClockReadings,
  reachable: boolean,
  lastSeen: number | undefined,
][] = [
  ["a listed realm never heard of is unreachable and was never seen", reach.neverSeenLiveness, at(0), false, undefined],
  ["a heartbeat makes reachable", heard, at(0), true, start],
  ["the limit itself is still within", heard, at(15), true, start],
  ["[I8] silence beyond the limit makes unreachable, last seen is frozen", heard, at(15.001), false, start],
  ["[F36] a wall clock that jumps ahead makes nobody unreachable", heard, at(1, 3600), true, start],
  ["[F36] a wall clock that jumps back keeps nobody reachable", heard, at(20, -3600), false, start],
  ["a stored message is a last seen but makes nobody reachable", stored, at(0), false, start],
  ["[F06] what was heard before our restart counts as long as it is fresh", told, at(0, 10), true, start],
  ["[F06] a realm that died while we were away is unreachable", told, at(0, 20), false, start],
];
for (const [rule, sighting, moment, reachable, lastSeen] of rows)
  test(rule, () => {
    assert.equal(reach.isReachable(sighting, limit, moment), reachable);
    assert.equal(reach.lastSeenAtMs(sighting), lastSeen);
    assert.equal(reach.reachableForMs(sighting, limit, moment) !== undefined, reachable);
  });

test("[F38] clock skew is the realm's clock less ours at arrival", () => {
  assert.equal(reach.livenessAfterHeartbeat(reach.neverSeenLiveness, beat(start + 300_000), at(1)).clockSkewMs, 299_000);
  assert.equal(reach.livenessAfterHeartbeat(reach.neverSeenLiveness, { ...beat(), sentAtMs: undefined }, at(1)).clockSkewMs, undefined);
});
test("it turns unreachable exactly when the span that was told is over", () => {
  const span = reach.reachableForMs(heard, limit, at(5)) ?? 0;
  const then = (ms: number): reach.ClockReadings => ({ nowMs: start + 5_000 + ms, monotonicMs: 5_000 + ms });
  assert.equal(reach.isReachable(heard, limit, then(span - 1)), true);
  assert.equal(reach.isReachable(heard, limit, then(span)), false);
});
test("what others heard earlier changes nothing, what they heard later is learnt", () => {
  const later = { ...told, heartbeatAtMs: start + 9_000, epoch: 8 };
  assert.deepEqual(reach.mergeLiveness(later, told), later);
  assert.deepEqual(reach.mergeLiveness(told, later), later);
  assert.deepEqual(reach.mergeLiveness(reach.neverSeenLiveness, stored), stored);
});
test("our own ear outranks another process' clock", () => {
  assert.equal(reach.mergeLiveness(heard, { ...told, heartbeatAtMs: start + 60_000 }).heartbeatAtMs, start);
});
