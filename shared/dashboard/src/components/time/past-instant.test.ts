import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPastInstant, parsePastInstant, shiftPastInstant } from "./past-instant.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");

test("an instant of the past means the same again, to the second", () => {
  assert.equal(formatPastInstant(noon + 999), "2026-11-20T12:00:00Z");
  assert.equal(parsePastInstant(formatPastInstant(noon)), noon);
  assert.equal(parsePastInstant("2026-11-20T12:00Z"), noon);
});

test("what names no instant, or one in no zone, is none", () => {
  for (const text of [undefined, "", "yesterday", "2026-11-20", "2026-11-20T12:00", "2026-13-20T12:00:00Z", "0"])
    assert.equal(parsePastInstant(text), undefined, String(text));
});

test("nobody gets beyond now", () => {
  assert.equal(shiftPastInstant(noon, -60_000, noon), noon - 60_000);
  assert.equal(shiftPastInstant(noon - 30_000, 60_000, noon), noon);
});
