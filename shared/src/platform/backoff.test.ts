import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "./backoff.ts";

const bounds = { firstMs: 200, longestMs: 5_000 };

test("the delay doubles with each failure up to its bound", () => {
  const delays = [1, 2, 3, 5, 6, 5_000].map((failures) => backoffMs(bounds, failures));
  assert.deepEqual(delays, [200, 400, 800, 3_200, 5_000, 5_000]);
});

test("with a source of randomness, the upper half of the delay is random", () => {
  assert.equal(
    backoffMs(bounds, 2, () => 0),
    200,
  );
  assert.equal(
    backoffMs(bounds, 2, () => 0.5),
    300,
  );
});
