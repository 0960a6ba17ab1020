import assert from "node:assert/strict";
import { test } from "node:test";
import { notableSkewMs } from "./notable-skew.ts";

for (const [skewMs, notable] of [
  [0, 0],
  [30_000, 0],
  [-30_000, 0],
  [31_000, 30_000],
  [-36_000, -40_000],
  [300_400, 300_000],
] as const)
  test(`[DB21] of a difference of ${skewMs} ms, ${notable} ms are worth a warning`, () =>
    assert.equal(notableSkewMs(skewMs), notable));
