import assert from "node:assert/strict";
import { test } from "node:test";
import { openCalendar, type TimeperiodPlan } from "@realmwatch/shared/calendar/timeperiod";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { openingsWithin, type PeriodSpan } from "./period.ts";

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const at = (text: string): number => Date.parse(text);
const format = (spans: readonly PeriodSpan[]) =>
  spans.map(({ fromMs, toMs }) => `${formatInstant(fromMs)}/${formatInstant(toMs)}`);

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** True when a period with weekday ranges is open, computed from the local time only. */
function isOpenByTheClock(periods: Readonly<Record<string, TimeperiodPlan>>, name: string, atMs: number): boolean {
  const { timezone, ranges, exclude } = periods[name] as TimeperiodPlan;
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone);
  const minute = local.hour * 60 + local.minute;
  const times = ranges[weekdays[local.dayOfWeek - 1] as string] ?? "";
  const within = times
    .split(",")
    .filter(Boolean)
    .map((range) => range.split("-").map(minuteOf))
    .some(([from = 0, to = 0]) => from <= minute && minute < to);
  return within && !exclude.some((other) => isOpenByTheClock(periods, other, atMs));
}

function openMinutes(periods: Readonly<Record<string, TimeperiodPlan>>, name: string, span: PeriodSpan): PeriodSpan[] {
  const spans: { fromMs: number; toMs: number }[] = [];
  for (let ms = span.fromMs; ms < span.toMs; ms += 60_000) {
    if (!isOpenByTheClock(periods, name, ms)) continue;
    const last = spans.at(-1);
    if (last?.toMs === ms) last.toMs += 60_000;
    else spans.push({ fromMs: ms, toMs: ms + 60_000 });
  }
  return spans;
}

const daily = (times: string): Record<string, string> => Object.fromEntries(weekdays.map((day) => [day, times]));
const period = (timezone: string, ranges: Record<string, string>, exclude: string[] = []): TimeperiodPlan => ({
  timezone,
  ranges,
  exclude,
});

const cases: [name: string, zone: string, from: string, to: string][] = [
  ["a week without a change of clocks", "UTC", "2026-01-05T00:00:00Z", "2026-01-12T00:00:00Z"],
  ["the hour that Berlin skips", "Europe/Berlin", "2026-03-27T11:30:00Z", "2026-03-31T11:30:00Z"],
  ["the hour that Berlin has twice", "Europe/Berlin", "2026-10-23T11:30:00Z", "2026-10-27T11:30:00Z"],
  ["the half hour that Lord Howe has twice", "Australia/Lord_Howe", "2026-04-03T00:00:00Z", "2026-04-07T00:00:00Z"],
  ["midnight that Cairo skips", "Africa/Cairo", "2026-04-22T10:00:00Z", "2026-04-26T10:00:00Z"],
  ["the date that Apia never had", "Pacific/Apia", "2011-12-28T00:00:00Z", "2012-01-02T00:00:00Z"],
];
for (const [name, zone, from, to] of cases)
  test(`openings equal those found minute by minute: ${name}`, () => {
    const periods = {
      nights: period(zone, daily("00:00-02:45,22:15-24:00")),
      skipped: period(zone, daily("02:00-03:00")),
      always: period(zone, daily("00:00-24:00")),
      lunch: period(zone, { ...daily("12:00-13:00"), friday: "11:30-13:30" }),
      office: period(zone, { ...daily("02:15-17:00"), sunday: "" }, ["lunch", "skipped"]),
    };
    // Sunday has no entry: an empty list of times is not valid.
    const { sunday: _, ...workdays } = periods.office.ranges;
    const known = { ...periods, office: { ...periods.office, ranges: workdays } };
    const calendar = openCalendar(new Map(Object.entries(known)));
    const span = { fromMs: at(from), toMs: at(to) };
    for (const each of Object.keys(known))
      assert.deepEqual(format(openingsWithin(calendar, each, span)), format(openMinutes(known, each, span)), each);
  });

test("openings are clipped to the span, and found beyond the horizon of a calendar", () => {
  const calendar = openCalendar(
    new Map([
      ["always", period("UTC", daily("00:00-24:00"))],
      ["never", period("UTC", {})],
      ["once", period("UTC", { "2031-05-01": "10:00-11:00" })],
    ]),
  );
  const span = { fromMs: at("2026-01-01T00:00:30Z"), toMs: at("2033-01-01T00:00:00Z") };
  assert.deepEqual(format(openingsWithin(calendar, "always", span)), ["2026-01-01T00:00:30Z/2033-01-01T00:00:00Z"]);
  assert.deepEqual(openingsWithin(calendar, "never", span), []);
  assert.deepEqual(format(openingsWithin(calendar, "once", span)), ["2031-05-01T10:00:00Z/2031-05-01T11:00:00Z"]);
});
