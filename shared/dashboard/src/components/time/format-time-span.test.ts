import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCounter, formatRunTime, formatShortAge, formatTimeSpan } from "./format-time-span.ts";

const spans: [ms: number, shown: string][] = [
  [-5, "0 s"],
  [999, "0 s"],
  [42_000, "42 s"],
  [60_000, "1 m"],
  [4_320_000, "1 h 12 m"],
  [86_400_000, "1 d"],
  [273_600_000, "3 d 4 h"],
];
for (const [ms, shown] of spans)
  test(`${ms} ms is formatted as ${shown}`, () => assert.equal(formatTimeSpan(ms), shown));

test("a run time below one minute keeps its milliseconds", () => {
  assert.deepEqual(
    [formatRunTime(0.4), formatRunTime(850), formatRunTime(1_240), formatRunTime(61_000)],
    ["0 ms", "850 ms", "1.2 s", "1 m 1 s"],
  );
});

test("an age in a column has its largest unit only", () => {
  assert.deepEqual([0, 59_000, 13 * 60_000 + 59_000, 26 * 3_600_000].map(formatShortAge), [
    "0 s",
    "59 s",
    "13 m",
    "1 d",
  ]);
});

test("a counter has minutes and seconds, and hours from 100 minutes on", () => {
  assert.deepEqual([-5, 7_900, 4_530_000, 6_000_000].map(formatCounter), ["00:00", "00:07", "75:30", "1:40:00"]);
});
