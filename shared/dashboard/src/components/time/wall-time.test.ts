import assert from "node:assert/strict";
import { test } from "node:test";
import { fromInputValue, nextHour, toInputValue } from "./wall-time.ts";

const friday = Date.parse("2026-11-20T09:30:00Z");

test("after 08:00 the next 08:00 is tomorrow", () => {
  assert.equal(nextHour(friday, 8, { zone: "utc" }), Date.parse("2026-11-21T08:00:00Z"));
  assert.equal(nextHour(friday, 10, { zone: "utc" }), Date.parse("2026-11-20T10:00:00Z"));
});

test("at exactly 08:00 the next 08:00 is a day away", () => {
  const sharp = Date.parse("2026-11-20T08:00:00Z");
  assert.equal(nextHour(sharp, 8, { zone: "utc" }), sharp + 86_400_000);
});

test("the next Monday is found across a weekend", () => {
  assert.equal(nextHour(friday, 8, { zone: "utc", weekday: 1 }), Date.parse("2026-11-23T08:00:00Z"));
});

test("a time survives the conversion to an input value and back, in both zones", () => {
  for (const zone of ["utc", "local"] as const) assert.equal(fromInputValue(toInputValue(friday, zone), zone), friday);
  assert.equal(fromInputValue("", "utc"), undefined);
  assert.equal(fromInputValue("soon", "local"), undefined);
});
