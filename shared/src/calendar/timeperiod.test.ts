import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TimeperiodPlan } from "../calendar/timeperiod.ts";
import { dayOf } from "./civil-day.ts";
import { matchesDay, parseDateExpression } from "./date-expression.ts";
import { parseTimeList } from "./time-list.ts";
import { openCalendar } from "./timeperiod.ts";

const period = (ranges: Record<string, string>, timezone = "UTC", exclude: string[] = []): TimeperiodPlan => ({
  timezone,
  ranges,
  exclude,
});
const calendarOf = (periods: Record<string, TimeperiodPlan>) => openCalendar(new Map(Object.entries(periods)));
const at = (text: string): number => Date.parse(text);

/** Days of 2026 that an expression matches, as MM-DD. */
function daysOf(expression: string, year = 2026): string[] {
  const parsed = parseDateExpression(expression);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error);
  const days: string[] = [];
  for (let day = dayOf(year, 1, 1); day < dayOf(year + 1, 1, 1); day += 1)
    if (matchesDay(parsed.value, day)) days.push(new Date(day * 86_400_000).toISOString().slice(5, 10));
  return days;
}

const expressions: [rule: string, expression: string, days: string[]][] = [
  ["[TP1] a calendar date", "2026-12-25", ["12-25"]],
  ["[TP1] a range of dates", "2026-02-27 - 2026-03-02", ["02-27", "02-28", "03-01", "03-02"]],
  ["[TP1] a day of a month", "february 3", ["02-03"]],
  ["[TP1] the last day of a month", "february -1", ["02-28"]],
  ["[TP1] days of a month", "february 1 - 3", ["02-01", "02-02", "02-03"]],
  ["[TP1] the n-th weekday of a month", "thursday 3 february", ["02-19"]],
  ["[TP1] the last weekday of a month", "monday -1 may", ["05-25"]],
  ["[TP2] a day that the month does not have is not matched", "february 30", []],
  ["[TP2] the end of a range is limited to the last day of the month", "february 27 - 31", ["02-27", "02-28"]],
  ["[TP3] a range crosses the end of the year", "december 30 - january 2", ["01-01", "01-02", "12-30", "12-31"]],
  ["[TP4] a step counts days from the start", "march 1 - march 8 / 3", ["03-01", "03-04", "03-07"]],
  ["[TP4] a step without an end continues", "2026-12-20 / 5", ["12-20", "12-25", "12-30"]],
];
for (const [rule, expression, days] of expressions)
  test(`${rule}: ${expression}`, () => assert.deepEqual(daysOf(expression), days));

test("[TP1] days of every month, and weekdays of every month", () => {
  assert.equal(daysOf("day 31").length, 7);
  assert.equal(daysOf("day -1").length, 12);
  assert.equal(daysOf("monday -1").length, 12);
  assert.equal(daysOf("day 1 - day 5").length, 60);
  assert.equal(daysOf("thursday 2 - 4").length, 12 * 15);
  assert.equal(daysOf("monday").length, 52);
});

test("[TP3] a step continues across the end of the year", () => {
  assert.deepEqual(daysOf("december 30 - january 5 / 2", 2027).slice(0, 3), ["01-01", "01-03", "01-05"]);
});

for (const wrong of [
  "",
  "someday",
  "monday 6",
  "february 0",
  "day 32",
  "2026-02-30",
  "2026-03-02 - 2026-03-01",
  "monday / 2",
  "february 1 / 2",
  "day 1 - 15 / 0",
  "monday 1 - 2026-01-01",
])
  test(`not a date expression: ${JSON.stringify(wrong)}`, () => assert.equal(parseDateExpression(wrong).ok, false));

for (const wrong of ["", "8-9", "09:00-08:00", "22:00-06:00", "09:00-25:00", "09:60-10:00", "09:00-10:00,"])
  test(`not a time list: ${JSON.stringify(wrong)}`, () => assert.equal(parseTimeList(wrong).ok, false));

test("[TP5] a date takes precedence over a weekday for the whole day, and 00:00-00:00 closes it", () => {
  const calendar = calendarOf({ p: period({ friday: "00:00-24:00", "2026-12-25": "00:00-00:00" }) });
  assert.equal(calendar.isOpen("p", at("2026-12-18T12:00:00Z")), true);
  assert.equal(calendar.isOpen("p", at("2026-12-25T12:00:00Z")), false);
});

test("[TP5] times of expressions of one class are merged", () => {
  const calendar = calendarOf({ p: period({ "day 1": "08:00-10:00", "day 1 - 2": "10:00-12:00" }) });
  assert.equal(calendar.nextClose("p", at("2026-05-01T08:00:00Z")), at("2026-05-01T12:00:00Z"));
});

test("[TP6] a start in the hour skipped in spring opens at the first instant after it", () => {
  const calendar = calendarOf({ p: period({ sunday: "02:30-04:00" }, "Europe/Berlin") });
  assert.equal(calendar.nextOpen("p", at("2026-03-28T12:00:00Z")), at("2026-03-29T01:00:00Z"));
  assert.equal(calendar.nextClose("p", at("2026-03-29T01:00:00Z")), at("2026-03-29T02:00:00Z"));
});

test("[TP6] the hour that occurs twice in autumn is open twice", () => {
  const calendar = calendarOf({ p: period({ sunday: "02:00-03:00" }, "Europe/Berlin") });
  assert.equal(calendar.nextOpen("p", at("2026-10-24T22:00:00Z")), at("2026-10-25T00:00:00Z"));
  assert.equal(calendar.nextClose("p", at("2026-10-25T00:00:00Z")), at("2026-10-25T02:00:00Z"));
});

test("[TP7] excluded periods are removed, recursively", () => {
  const calendar = calendarOf({
    p: period({ monday: "08:00-18:00" }, "UTC", ["lunch"]),
    lunch: period({ monday: "12:00-13:00" }, "UTC", ["short"]),
    short: period({ monday: "12:30-13:00" }),
  });
  assert.equal(calendar.isOpen("p", at("2026-05-04T12:10:00Z")), false);
  assert.equal(calendar.isOpen("p", at("2026-05-04T12:40:00Z")), true);
  assert.equal(calendar.nextClose("p", at("2026-05-04T08:00:00Z")), at("2026-05-04T12:00:00Z"));
});

test("[TP8] the search ends for periods that are never or always open", () => {
  const calendar = calendarOf({
    never: period({}),
    always: period(
      Object.fromEntries(
        ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].map((day) => [
          day,
          "00:00-24:00",
        ]),
      ),
    ),
  });
  assert.equal(calendar.nextOpen("never", 0), undefined);
  assert.equal(calendar.nextClose("always", 0), undefined);
  assert.equal(calendar.nextOpen("", 5), 5);
});

/** Local wall-clock minute and day computed with Intl, without code of the tested module. */
function bruteForce(zone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (atMs: number, ranges: Record<string, [number, number]>): boolean => {
    const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const range = ranges[(parts.weekday ?? "").toLowerCase()];
    const minute = Number(parts.hour) * 60 + Number(parts.minute);
    return range !== undefined && range[0] <= minute && minute < range[1];
  };
}

const transitions: [zone: string, around: string][] = [
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["Asia/Kolkata", "2026-06-01T00:00:00Z"],
];
for (const [zone, around] of transitions)
  test(`[TP6] each minute around ${around} in ${zone} is open according to the wall clock`, () => {
    const names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    const isOpen = bruteForce(zone);
    const minute = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(minute, minute, fc.integer({ min: -2000, max: 2000 }), (a, b, offset) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
        const show = (m: number): string =>
          `${String(Math.floor(m / 60)).padStart(2, "0")}:${String(m % 60).padStart(2, "0")}`;
        const calendar = calendarOf({
          p: period(Object.fromEntries(names.map((name) => [name, `${show(from)}-${show(to)}`])), zone),
        });
        const ranges = Object.fromEntries(names.map((name) => [name, [from, to] as [number, number]]));
        const startMs = at(around) + offset * 60_000;
        for (let n = 0; n < 90; n += 1) {
          const nowMs = startMs + n * 60_000;
          assert.equal(calendar.isOpen("p", nowMs), isOpen(nowMs, ranges), new Date(nowMs).toISOString());
        }
        const opens = calendar.nextOpen("p", startMs);
        assert.ok(opens !== undefined && calendar.isOpen("p", opens));
        if (opens > startMs) assert.equal(calendar.isOpen("p", opens - 1), false);
      }),
      { numRuns: 60 },
    );
  });
