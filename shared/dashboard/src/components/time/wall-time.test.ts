import assert from "node:assert/strict";
import { test } from "node:test";
import { fromInputValue, nextHour, parseSpanMs, parseWallTime, toInputValue } from "./wall-time.ts";

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

const evening = Date.parse("2026-11-20T20:15:00Z");
const typed: [text: string, iso: string | undefined][] = [
  ["now", "2026-11-20T20:15:00Z"],
  ["+2h", "2026-11-20T22:15:00Z"],
  ["+1h 30m", "2026-11-20T21:45:00Z"],
  ["22:00", "2026-11-20T22:00:00Z"],
  ["2200", "2026-11-20T22:00:00Z"],
  ["22", "2026-11-20T22:00:00Z"],
  ["2:30", "2026-11-21T02:30:00Z"],
  ["tomorrow 22:00", "2026-11-21T22:00:00Z"],
  ["Tomorrow", "2026-11-21T00:00:00Z"],
  ["2026-12-01", "2026-12-01T00:00:00Z"],
  ["2026-12-01 6:05", "2026-12-01T06:05:00Z"],
  ["2026-12-01T06:05", "2026-12-01T06:05:00Z"],
  ["", undefined],
  ["24:00", undefined],
  ["10 pm", undefined],
  ["2026-13-01", undefined],
  ["+", undefined],
];
for (const [text, iso] of typed)
  test(`"${text}" typed on a Friday evening is ${iso ?? "no time"}`, () =>
    assert.equal(parseWallTime(text, evening, "utc"), iso === undefined ? undefined : Date.parse(iso)));

test("durations are typed in minutes, hours, days and weeks", () => {
  assert.deepEqual(["90m", "1h30m", "2 d", "1w"].map(parseSpanMs), [5_400_000, 5_400_000, 172_800_000, 604_800_000]);
  assert.deepEqual(["", "0m", "5", "1x", "-1h"].map(parseSpanMs), [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
