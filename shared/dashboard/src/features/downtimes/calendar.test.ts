import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calendarDays, dayAfterKey, dayBars } from "./calendar.ts";

const at = (text: string): number => Date.parse(`${text}Z`);
const iso = (ms: number | undefined): string => new Date(ms ?? 0).toISOString().slice(0, 16);

for (const now of ["2026-11-20T00:00", "2026-11-20T12:41", "2026-11-20T23:59"])
  test(`the calendar at ${now} begins on that day and has four weeks`, () => {
    const days = calendarDays(at(now), 0, "utc");
    assert.deepEqual([days.length, iso(days[0]), iso(days.at(-1))], [29, "2026-11-20T00:00", "2026-12-18T00:00"]);
  });

test("an offset of a week begins seven days later", () =>
  assert.equal(calendarDays(at("2026-11-20T12:00"), 1, "utc")[0], calendarDays(at("2026-11-20T12:00"), 0, "utc")[7]));

const days = calendarDays(at("2026-11-20T12:00"), 0, "utc");

test("[DB105] a downtime has a bar on each of its days, cut at the edges of the calendar", () => {
  const range = { startMs: at("2026-11-19T06:00"), endMs: at("2026-11-21T12:00") };
  const bars = dayBars(days, [range, { startMs: at("2027-01-01T00:00"), endMs: at("2027-01-02T00:00") }]);
  assert.deepEqual(bars.map((own) => own.map(({ left, width }) => [left, width])).slice(0, 3), [
    [[0, 1]],
    [[0, 0.5]],
    [],
  ]);
  assert.equal(bars.flat().length, 2);
});

test("[DB105] bars of one day never share a lane, and a downtime keeps its lane", () => {
  const hour = fc.integer({ min: -48, max: 30 * 24 });
  const ranges = fc.array(fc.tuple(hour, fc.integer({ min: 1, max: 200 })), { maxLength: 20 });
  fc.assert(
    fc.property(ranges, (all) => {
      const start = days[0] ?? 0;
      const bars = dayBars(
        days,
        all.map(([from, length]) => ({
          startMs: start + from * 3_600_000,
          endMs: start + (from + length) * 3_600_000,
        })),
      );
      for (const own of bars) assert.equal(new Set(own.map(({ lane }) => lane)).size, own.length);
      for (const same of Map.groupBy(bars.flat(), ({ of }) => of).values())
        assert.equal(new Set(same.map(({ lane }) => lane)).size, 1);
    }),
    { numRuns: 50 },
  );
});

const keys: readonly (readonly [day: number, key: string, to: number | undefined])[] = [
  [0, "ArrowRight", 1],
  [0, "ArrowLeft", 0],
  [3, "ArrowDown", 10],
  [3, "ArrowUp", 3],
  [27, "ArrowRight", 27],
  [10, "Home", 7],
  [10, "End", 13],
  [10, "x", undefined],
];
for (const [day, key, to] of keys)
  test(`[DB105] ${key} leads from day ${day} to ${to ?? "no other day"}`, () =>
    assert.equal(dayAfterKey(day, key, 28), to));
