import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pairTimes } from "./pair-times.ts";

test("[PA25] the times of the default lease of 45 s", () =>
  assert.deepEqual(pairTimes(45_000), {
    ...{ leaseMs: 45_000, marginMs: 9_000, renewalMs: 10_000, promiseMs: 45_000 },
    ...{ challengeMs: 54_000, readMs: 2_500, readGapMs: 10_000, longestActionMs: 34_000 },
  }));

test("[PA25] for each lease the margin is at least 1 s, three renewals fit into it, and an action into what they leave", () =>
  fc.assert(
    fc.property(fc.double({ min: 3_000, max: 300_000, noNaN: true }), (leaseMs) => {
      const { marginMs, renewalMs, challengeMs, longestActionMs } = pairTimes(leaseMs);
      assert.ok(marginMs >= 1_000 && marginMs >= leaseMs / 5);
      assert.ok(renewalMs * 3 < leaseMs && challengeMs === leaseMs + marginMs);
      assert.ok(longestActionMs >= 1_000 && longestActionMs <= leaseMs - renewalMs - 1_000);
    }),
  ));
