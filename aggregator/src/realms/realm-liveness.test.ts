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
  uptimeMs: undefined,
  version: "dev",
  previousInstance: "",
  isLeaving: false,
  ...{ newest: { history: 0, command: 0 }, restoredCopy: "", firstEventSeq: 0 },
  claim: undefined,
  unstoredMs: 0,
  ...{ objects: 0, unpublished: [], catalog: undefined },
  error: "",
});
const received = live.livenessAfterHeartbeat(live.neverSeenLiveness, beat(), at(0));
/** As another process stored it `ageMs` ago by the clock of Redis, read at a time of this process. */
const fromOther = (ageMs: number, readings = at(0)) =>
  live.mergeLiveness(live.neverSeenLiveness, { ...stored0, heartbeatAgeMs: ageMs }, readings);
const stored0 = {
  storedAtMs: undefined,
  clockSkewMs: 0,
  seen: { history: 0, command: 0 },
  instance: "i",
  epoch: 7,
  revision: 3,
};
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
  [
    "[FE3] a heartbeat from before the restart counts while it is recent",
    fromOther(10_000),
    at(5),
    true,
    start - 10_000,
  ],
  ["[FE3] a realm that stopped during the restart is unreachable", fromOther(20_000), at(0), false, start - 20_000],
  [
    "[FD8] the age of a stored heartbeat counts, not this wall clock",
    fromOther(1_000),
    at(0, 3600),
    true,
    start - 1_000,
  ],
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
test("[FD8] of stored heartbeats the later one counts, however often it is read", () => {
  const read = fromOther(1_000, at(10));
  const again = live.mergeLiveness(read, { ...stored0, heartbeatAgeMs: 2_000 }, at(11));
  assert.equal(again.heartbeatMonotonicMs, read.heartbeatMonotonicMs);
  const later = live.mergeLiveness(read, { ...stored0, heartbeatAgeMs: 500, epoch: 8 }, at(12));
  assert.deepEqual([later.heartbeatMonotonicMs, later.epoch], [11_500, 8]);
  const none = { ...stored0, storedAtMs: start, heartbeatAgeMs: undefined };
  assert.deepEqual(live.mergeLiveness(live.neverSeenLiveness, none, at(0)), stored);
});
test("a heartbeat received by this process wins over one that another process stored", () => {
  const merged = live.mergeLiveness(received, { ...stored0, heartbeatAgeMs: 0 }, at(60));
  assert.equal(merged.heartbeatMonotonicMs, 0);
});
test("[FD83] the greatest sequences of any heartbeat are remembered, also those that another process stored", () => {
  const newest = { history: 9, command: 4 };
  const heard = live.livenessAfterHeartbeat(received, { ...beat(), newest }, at(5));
  const older = live.livenessAfterHeartbeat(heard, { ...beat(), newest: { history: 5, command: 5 } }, at(10));
  assert.deepEqual(older.seen, { history: 9, command: 5 });
  const seen = { history: 12, command: 1 };
  for (const heartbeatAgeMs of [undefined, 0])
    assert.deepEqual(live.mergeLiveness(older, { ...stored0, seen, heartbeatAgeMs }, at(11)).seen, {
      history: 12,
      command: 5,
    });
});
