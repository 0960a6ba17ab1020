import assert from "node:assert/strict";
import { test } from "node:test";
import { presetEndMs, presetRange, timeRangeError, timeRangeWarning } from "./time-range.ts";

const now = Date.parse("2026-11-20T22:15:00Z");
const hour = 3_600_000;

test("presets end after a duration or at the next time of day", () => {
  assert.equal(presetEndMs("30m", now, "utc"), now + hour / 2);
  assert.equal(presetEndMs("morning", now, "utc"), Date.parse("2026-11-21T08:00:00Z"));
  assert.equal(presetEndMs("monday", now, "utc"), Date.parse("2026-11-23T08:00:00Z"));
  assert.equal(presetEndMs("never", now, "utc"), undefined);
});

const nights: [nowIso: string, startIso: string, endIso: string][] = [
  ["2026-11-20T09:00:00Z", "2026-11-20T22:00:00Z", "2026-11-21T02:00:00Z"],
  ["2026-11-20T22:15:00Z", "2026-11-20T22:15:00Z", "2026-11-21T02:00:00Z"],
  ["2026-11-21T01:59:00Z", "2026-11-21T01:59:00Z", "2026-11-21T02:00:00Z"],
  ["2026-11-21T02:00:00Z", "2026-11-21T22:00:00Z", "2026-11-22T02:00:00Z"],
];
for (const [nowIso, startIso, endIso] of nights)
  test(`tonight, chosen at ${nowIso}, is from ${startIso} to ${endIso}`, () =>
    assert.deepEqual(presetRange("tonight", Date.parse(nowIso), "utc"), {
      startMs: Date.parse(startIso),
      endMs: Date.parse(endIso),
    }));

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
