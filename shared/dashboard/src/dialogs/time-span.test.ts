import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, spanProblem, spanWarning } from "./time-span.ts";

const now = Date.parse("2026-11-20T22:15:00Z");
const hour = 3_600_000;

test("presets count from now, or to the next clock time", () => {
  assert.equal(endOf("30m", now, "utc"), now + hour / 2);
  assert.equal(endOf("morning", now, "utc"), Date.parse("2026-11-21T08:00:00Z"));
  assert.equal(endOf("monday", now, "utc"), Date.parse("2026-11-23T08:00:00Z"));
  assert.equal(endOf("never", now, "utc"), undefined);
});

test("a downtime needs a start before an end that is still to come", () => {
  assert.equal(spanProblem({ startMs: now, endMs: now + 1 }, now), undefined);
  assert.match(spanProblem({ startMs: undefined, endMs: now }, now) ?? "", /start and an end/);
  assert.match(spanProblem({ startMs: now, endMs: now }, now) ?? "", /after the start/);
  assert.match(spanProblem({ startMs: now - 2 * hour, endMs: now - hour }, now) ?? "", /past/);
});

test("more than 30 days deserve a second look", () => {
  assert.equal(spanWarning({ startMs: now, endMs: now + 30 * 24 * hour }), undefined);
  assert.ok(spanWarning({ startMs: now, endMs: now + 30 * 24 * hour + 1 }));
});
