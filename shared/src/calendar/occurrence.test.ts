import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TimeperiodPlan } from "../calendar/timeperiod.ts";
import { openCalendar } from "./timeperiod.ts";

const minuteMs = 60_000;
const period = (ranges: Record<string, string>, timezone = "UTC", exclude: string[] = []): TimeperiodPlan => ({
  ...{ timezone, ranges, exclude },
});
const everyDay = (times: string): Record<string, string> =>
  Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day, times]),
  );
const occurrenceOf = (plan: TimeperiodPlan, at: string): string[] | undefined => {
  const found = openCalendar(new Map([["p", plan]])).occurrence("p", Date.parse(at));
  return found && [found.fromMs, found.toMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
};

test("[TP9] adjacent openings are one occurrence, also across midnight", () => {
  const night = period(everyDay("23:00-24:00,00:00-02:00"));
  const expected = ["2026-03-10T23:00", "2026-03-11T02:00"];
  assert.deepEqual(occurrenceOf(night, "2026-03-10T23:30Z"), expected);
  assert.deepEqual(occurrenceOf(night, "2026-03-11T00:00Z"), expected);
  assert.deepEqual(occurrenceOf(night, "2026-03-11T01:59Z"), expected);
  assert.deepEqual(occurrenceOf(night, "2026-03-10T02:00Z"), expected, "the end is not part of it: the next one");
});

test("[TP9] an occurrence of several weeks has its exact start and end", () => {
  const move = period({ "2026-02-03 - 2026-04-20": "00:00-24:00" });
  for (const at of ["2026-01-01T00:00Z", "2026-02-03T00:00Z", "2026-03-15T12:00Z", "2026-04-20T23:59Z"])
    assert.deepEqual(occurrenceOf(move, at), ["2026-02-03T00:00", "2026-04-21T00:00"]);
  assert.equal(occurrenceOf(move, "2026-04-21T00:00Z"), undefined);
});

test("[TP9] an endless occurrence is limited to a year in each direction", () => {
  const always = period(everyDay("00:00-24:00"));
  assert.deepEqual(occurrenceOf(always, "2026-06-01T12:00Z"), ["2025-05-31T00:00", "2027-06-03T00:00"]);
  assert.equal(openCalendar(new Map()).occurrence("nobody", 0), undefined);
});

test("[TP9] a day that a time zone skips does not split an occurrence", () => {
  const apia = period(everyDay("00:00-24:00"), "Pacific/Apia");
  const found = openCalendar(new Map([["p", apia]])).occurrence("p", Date.parse("2011-12-28T00:00Z"));
  assert.ok(found !== undefined && found.toMs > Date.parse("2012-06-01T00:00Z"));
});

test("[TP9] an occurrence equals the result of a search minute by minute", () => {
  const hour = fc.integer({ min: 0, max: 23 });
  const range = fc.tuple(hour, hour).map(([a, b]) => {
    const show = (h: number) => String(h).padStart(2, "0");
    return `${show(Math.min(a, b))}:00-${show(Math.max(a, b) + 1)}:00`;
  });
  const days = fc.constantFrom("monday", "tuesday", "wednesday", "saturday", "sunday", "day 29", "march 29");
  const ranges = fc.dictionary(days, range, { minKeys: 1 });
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe");
  const start = Date.parse("2026-03-25T00:00Z");
  const property = fc.property(ranges, zone, fc.integer({ min: 0, max: 8 * 24 * 60 }), (plan, timezone, minute) => {
    const calendar = openCalendar(new Map([["p", period(plan, timezone)]]));
    const atMs = start + minute * minuteMs;
    const found = calendar.occurrence("p", atMs);
    let fromMs = atMs;
    const limitMs = atMs + 40 * 86_400_000;
    while (!calendar.isOpen("p", fromMs) && fromMs < limitMs) fromMs += minuteMs;
    if (fromMs >= limitMs) return void assert.ok(found === undefined || found.fromMs >= limitMs);
    let toMs = fromMs;
    while (calendar.isOpen("p", toMs)) toMs += minuteMs;
    while (calendar.isOpen("p", fromMs - minuteMs)) fromMs -= minuteMs;
    assert.deepEqual(found, { fromMs, toMs });
  });
  fc.assert(property, { numRuns: 60 });
});

const between1And2 = (key: string, exclude: string[] = []): TimeperiodPlan =>
  period({ [key]: "01:00-02:00" }, "UTC", exclude);
const far: [key: string, from: string, day: string | undefined][] = [
  ["2031-05-01", "2026-03-10", "2031-05-01"],
  ["2040-06-01", "2026-03-10", "2040-06-01"],
  ["2399-12-31", "2026-03-10", "2399-12-31"],
  ["2399-12-31 - 2400-01-02 / 2", "2026-03-10", "2399-12-31"],
  ["february 29", "2096-03-01", "2104-02-29"],
  ["monday 5 february", "2072-03-01", "2112-02-29"],
  ["2025-05-01", "2026-03-10", undefined],
  ["february 30", "2026-03-10", undefined],
];
for (const [key, from, day] of far)
  test(`[TP9] from ${from} on the next occurrence of ${key} is ${day ?? "none"}`, () => {
    const expected = day && [`${day}T01:00`, `${day}T02:00`];
    assert.deepEqual(occurrenceOf(between1And2(key), `${from}T00:00Z`), expected);
  });

test("[TP9] a distant occurrence is found again from every later time, and so is the one after it", () => {
  const plan = { ...period({ "2040-06-01": "01:00-02:00", "2060-06-01": "01:00-02:00", "2050-06-01": "00:00-00:00" }) };
  const calendar = openCalendar(new Map([["p", plan]]));
  const from = (at: string): string | undefined => {
    const found = calendar.occurrence("p", Date.parse(at));
    return found && new Date(found.fromMs).toISOString().slice(0, 10);
  };
  assert.equal(from("2026-01-01T00:00Z"), "2040-06-01");
  assert.equal(from("2037-01-01T00:00Z"), "2040-06-01");
  assert.equal(from("2040-06-01T01:30Z"), "2040-06-01");
  assert.equal(from("2040-06-01T02:00Z"), "2060-06-01");
  assert.equal(from("2026-01-01T00:00Z"), "2040-06-01", "an earlier time is searched anew");
  assert.equal(from("2060-06-01T02:00Z"), undefined);
  assert.equal(from("2065-01-01T00:00Z"), undefined);
});
