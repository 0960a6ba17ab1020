import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isAlerting, parseThreshold, type Threshold } from "./threshold.ts";

function read(text: string): Threshold {
  const parsed = parseThreshold(text);
  if (!parsed.ok) assert.fail(`${text} ${parsed.error}`);
  return parsed.value;
}

const rows: [range: string, calm: (bigint | number)[], alerting: (bigint | number)[]][] = [
  ["10", [0, 5, 10], [-0.1, 10.1]],
  ["10:", [10, 1e9], [9.9, -1]],
  ["~:10", [-1e9, 10], [10.1]],
  ["10:20", [10, 15, 20], [9, 21]],
  ["@10:20", [9, 21], [10, 15, 20]],
  ["~:", [-1e9, 0, 1e9], []],
  ["@~:", [], [-1e9, 0, 1e9]],
  [":10", [0, 10], [-1, 11]],
  [" 10 : 20 ", [10, 20], [9, 21]],
  ["-20:-10", [-20, -10], [-9, 0]],
  ["1.5e1", [0, 15], [15.1]],
  ["+3:", [3, 3n], [2, 2n, 2.9]],
  ["18446744073709551614", [0n, 18446744073709551614n], [18446744073709551615n]],
  ["@9007199254740993:9007199254740993", [9007199254740992n, 9007199254740994n], [9007199254740993n]],
];
for (const [range, calm, alerting] of rows)
  test(`[PO5] ${range}`, () => {
    const threshold = read(range);
    for (const value of calm) assert.ok(!isAlerting(threshold, value), `${value} is calm`);
    for (const value of alerting) assert.ok(isAlerting(threshold, value), `${value} alerts`);
  });

for (const range of [
  "",
  "@",
  ":",
  "~",
  "~10",
  "10:~",
  "20:10",
  "9007199254740993:9007199254740992",
  "1:2:3",
  "10x",
  "1,5",
  "0x10",
  "inf",
  "1e999",
  "--1",
  "@@1",
])
  test(`[PO5] ${JSON.stringify(range)} is rejected`, () => assert.ok(!parseThreshold(range).ok));

test("[PO5] @ inverts the alert for every value", () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(finite, finite, finite, (a, b, value) => {
      const range = `${Math.min(a, b)}:${Math.max(a, b)}`;
      assert.notEqual(isAlerting(read(range), value), isAlerting(read(`@${range}`), value));
    }),
  );
});
