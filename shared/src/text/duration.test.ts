import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDuration, maxDurationMs, parseDuration } from "./duration.ts";

const good: readonly [text: string, ms: number][] = [
  ["300ms", 300],
  ["1h30m", 5_400_000],
  ["336h", 1_209_600_000],
  ["1.5h", 5_400_000],
  [".5s", 500],
  ["1.s", 1_000],
  ["0", 0],
  ["0s", 0],
  ["1m1s1ms", 61_001],
  ["1s1h", 3_601_000],
  ["1us", 0.001],
  ["1µs", 0.001],
  ["1000000ns", 1],
  ["87600h", maxDurationMs],
];
for (const [text, ms] of good)
  test(`${text} is ${ms} ms`, () => assert.deepEqual(parseDuration(text), { ok: true, value: ms }));

const bad = [
  "",
  "5",
  "-5s",
  "+5s",
  "5S",
  " 5s",
  "5s ",
  "5s\n",
  "1h-1m",
  "1e9h",
  "∞",
  "5d",
  "s",
  "9999999h",
  "87601h",
  ".s",
];
for (const text of [...bad, `${"9".repeat(300)}h`])
  test(`${JSON.stringify(text.slice(0, 20))} is rejected`, () => assert.equal(parseDuration(text).ok, false));

test("formatting is the inverse of parsing", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: maxDurationMs }), (ms) => {
      const back = parseDuration(formatDuration(ms));
      assert.ok(back.ok && Math.abs(back.value - ms) < 1e-3, formatDuration(ms));
    }),
  );
});
test("every text is a finite duration or an error", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseDuration(text);
      assert.ok(!parsed.ok || (parsed.value >= 0 && parsed.value <= maxDurationMs));
    }),
  );
});
