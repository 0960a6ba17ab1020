import assert from "node:assert/strict";
import { test } from "node:test";
import { fullHeartbeatBudget, heartbeatBudgetAfter } from "./heartbeat-budget.ts";

/** Number of heartbeats that are read of those that arrive at these times, ms. */
function readOf(timesMs: readonly number[]): number {
  let budget = fullHeartbeatBudget(0);
  let read = 0;
  for (const nowMs of timesMs) {
    const after = heartbeatBudgetAfter(budget, nowMs);
    if (after === undefined) continue;
    budget = after;
    read += 1;
  }
  return read;
}
const every = (ms: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => at * ms);

const rows: readonly [what: string, timesMs: readonly number[], read: number][] = [
  ["one every five seconds: all", every(5_000, 20), 20],
  ["ten a second: all", every(100, 100), 100],
  ["ten at once: all", every(0, 10), 10],
  ["4 000 a second for ten seconds: ten at once and ten in each second", every(0.25, 40_001), 110],
  ["after a flood a second without any restores ten", [...every(0.25, 4_000), ...every(0, 20).map(() => 2_000)], 29],
];
for (const [what, timesMs, read] of rows) test(`[FD97] ${what}`, () => assert.equal(readOf(timesMs), read));
