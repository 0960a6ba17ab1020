import assert from "node:assert/strict";
import { test } from "node:test";
import { StageTimes } from "./stage-times.ts";

test("[RL26] times of a stage that comes twice are added, and the last line has the sum", () => {
  let nowMs = 500;
  const times = new StageTimes(() => nowMs);
  const steps = [
    ["parse", 200],
    ["evaluate", 50],
    ["evaluate", 15_000],
    ["locate", 0],
  ] as const;
  for (const [stage, ms] of steps) {
    nowMs += ms;
    times.enter(stage);
  }
  nowMs += 4_750;
  assert.deepEqual(times.finish(), [
    "time: start      0.200 s    1 %",
    "time: parse      0.050 s    0 %",
    "time: evaluate  15.000 s   75 %",
    "time: locate     4.750 s   24 %",
    "time: in all    20.000 s  100 %",
  ]);
});
