import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPastInstant, parsePastInstant, shiftPastInstant } from "./past-instant.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");

test("a time survives the conversion to an address and back, to the second", () => {
  assert.equal(formatPastInstant(noon + 999), "2026-11-20T12:00:00Z");
  assert.equal(parsePastInstant(formatPastInstant(noon)), noon);
  assert.equal(parsePastInstant("2026-11-20T12:00Z"), noon);
});

test("text that is not a time in UTC is rejected", () => {
  for (const text of [undefined, "", "yesterday", "2026-11-20", "2026-11-20T12:00", "2026-13-20T12:00:00Z", "0"])
    assert.equal(parsePastInstant(text), undefined, String(text));
});

test("a time is never shifted into the future", () => {
  assert.equal(shiftPastInstant(noon, -60_000, noon), noon - 60_000);
  assert.equal(shiftPastInstant(noon - 30_000, 60_000, noon), noon);
});
