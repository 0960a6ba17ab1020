import assert from "node:assert/strict";
import { test } from "node:test";
import { formatShare } from "./share-of.ts";

test("a share is rounded down, so that 100 % is all of it", () => {
  assert.equal(formatShare(12, 400, "downtimes"), "12 of 400 downtimes (3 %)");
  assert.equal(formatShare(399, 400, "downtimes"), "399 of 400 downtimes (99 %)");
  assert.equal(formatShare(2, 1, "MB"), "2 of 1 MB (100 %)");
  assert.equal(formatShare(0, 0, "MB"), "0 of 0 MB (100 %)");
});
