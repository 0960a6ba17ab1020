import assert from "node:assert/strict";
import { test } from "node:test";
import { shareTone } from "./share-tone.ts";

for (const [name, okShare, evidence, isCurrent, tone] of [
  ["a known share of 1 is good", 1, 1, true, "good"],
  ["one of 0.99 is fair", 0.99, 0.95, true, "fair"],
  ["one of 0.5 is bad", 0.5, 1, true, "bad"],
  ["100 % of next to nothing has no colour", 1, 0.01, true, undefined],
  ["and neither has one that is only last known", 1, 1, false, undefined],
] as const)
  test(`[DB94] ${name}`, () => assert.equal(shareTone({ okShare, evidence, isCurrent }), tone));
