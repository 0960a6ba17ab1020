import assert from "node:assert/strict";
import { test } from "node:test";
import { showDuration, showSpan } from "./duration.ts";

const spans: [ms: number, shown: string][] = [
  [-5, "0 s"],
  [999, "0 s"],
  [42_000, "42 s"],
  [60_000, "1 m"],
  [4_320_000, "1 h 12 m"],
  [86_400_000, "1 d"],
  [273_600_000, "3 d 4 h"],
];
for (const [ms, shown] of spans) test(`${ms} ms is shown as ${shown}`, () => assert.equal(showDuration(ms), shown));

test("a short span keeps its milliseconds", () => {
  assert.deepEqual(
    [showSpan(0.4), showSpan(850), showSpan(1_240), showSpan(61_000)],
    ["0 ms", "850 ms", "1.2 s", "1 m 1 s"],
  );
});
