import assert from "node:assert/strict";
import { test } from "node:test";
import { presetEndMs, timeRangeError, timeRangeWarning } from "./time-range.ts";

const now = Date.parse("2026-11-20T22:15:00Z");
const hour = 3_600_000;

test("presets end after a duration or at the next time of day", () => {
  assert.equal(presetEndMs("30m", now, "utc"), now + hour / 2);
  assert.equal(presetEndMs("morning", now, "utc"), Date.parse("2026-11-21T08:00:00Z"));
  assert.equal(presetEndMs("monday", now, "utc"), Date.parse("2026-11-23T08:00:00Z"));
  assert.equal(presetEndMs("never", now, "utc"), undefined);
});

test("a downtime needs a start before its end, and an end in the future", () => {
  assert.equal(timeRangeError({ startMs: now, endMs: now + 1 }, now), undefined);
  assert.match(timeRangeError({ startMs: undefined, endMs: now }, now) ?? "", /start and an end/);
  assert.match(timeRangeError({ startMs: now, endMs: now }, now) ?? "", /after the start/);
  assert.match(timeRangeError({ startMs: now - 2 * hour, endMs: now - hour }, now) ?? "", /past/);
});

test("a downtime of more than 30 days has a warning", () => {
  assert.equal(timeRangeWarning({ startMs: now, endMs: now + 30 * 24 * hour }), undefined);
  assert.ok(timeRangeWarning({ startMs: now, endMs: now + 30 * 24 * hour + 1 }));
});
