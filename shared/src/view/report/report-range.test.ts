import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  dateStartMs,
  dayStartMs,
  formatLocal,
  isMonth,
  isZone,
  laterMonth,
  monthAt,
  monthRange,
  pastRange,
} from "./report-range.ts";

const months: [month: string, zone: string, from: string, to: string, hours: number][] = [
  ["2026-02", "UTC", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", 672],
  ["2028-02", "UTC", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z", 696],
  ["2026-12", "UTC", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", 744],
  // The clock is put forward in March and back in October.
  ["2026-03", "Europe/Berlin", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z", 743],
  ["2026-10", "Europe/Berlin", "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z", 745],
  ["2026-03", "America/New_York", "2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z", 743],
  ["2026-11", "America/New_York", "2026-11-01T04:00:00Z", "2026-12-01T05:00:00Z", 721],
  ["2026-04", "Australia/Lord_Howe", "2026-03-31T13:00:00Z", "2026-04-30T13:30:00Z", 720.5],
  ["2026-10", "Asia/Kathmandu", "2026-09-30T18:15:00Z", "2026-10-31T18:15:00Z", 744],
  ["2026-10", "Pacific/Kiritimati", "2026-09-30T10:00:00Z", "2026-10-31T10:00:00Z", 744],
  // Midnight of the first day is skipped, and the day has two of them.
  ["2017-10", "America/Asuncion", "2017-10-01T04:00:00Z", "2017-11-01T03:00:00Z", 743],
  ["2026-11", "America/Havana", "2026-11-01T04:00:00Z", "2026-12-01T05:00:00Z", 721],
];
for (const [month, zone, from, to, hours] of months)
  test(`[RP1] ${month} in ${zone} has ${hours} hours`, () => {
    const range = monthRange(month, zone);
    assert.deepEqual(
      [range.fromMs, range.toMs].map((ms) => new Date(ms).toISOString().replace(".000", "")),
      [from, to],
    );
    assert.equal((range.toMs - range.fromMs) / 3_600_000, hours);
    assert.equal(monthAt(range.fromMs, zone), month);
    assert.notEqual(monthAt(range.fromMs - 1, zone), month);
  });

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "America/Sao_Paulo",
  "Africa/Cairo",
  "Asia/Tehran",
  "Asia/Gaza",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "America/Havana",
  "Asia/Beirut",
];

test("[RP1] a day begins when Temporal says so, and months follow each other without a gap", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.date({ min: new Date("1972-01-01"), max: new Date("2060-01-01"), noInvalidDate: true }),
      (zone, date) => {
        const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
        const expected = new Temporal.PlainDate(year, month, day).toZonedDateTime(zone).epochMilliseconds;
        assert.equal(dayStartMs({ year, month, day }, zone), expected);
        const text = date.toISOString().slice(0, 7);
        assert.equal(monthRange(text, zone).toMs, monthRange(laterMonth(text, 1), zone).fromMs);
      },
    ),
    { numRuns: 300 },
  );
});

test("[RP1] months and zones are read as they are written", () => {
  for (const month of ["2026-10", "1970-01", "8999-12"]) assert.ok(isMonth(month), month);
  for (const month of ["2026-13", "2026-00", "2026-1", "26-10", "1969-12", "2026-10-01", ""])
    assert.ok(!isMonth(month), month);
  assert.deepEqual(
    [laterMonth("2026-01", -1), laterMonth("2026-12", 1), laterMonth("2026-05", 25)],
    ["2025-12", "2027-01", "2028-06"],
  );
  assert.deepEqual(["Europe/Berlin", "UTC", "Mars/Base", ""].map(isZone), [true, true, false, false]);
  assert.equal(dateStartMs("2026-10-15", "Europe/Berlin"), Date.parse("2026-10-14T22:00:00Z"));
  assert.deepEqual(
    [dateStartMs("2026-02-30", "UTC"), dateStartMs("15.10.2026", "UTC"), dateStartMs("2026-13-01", "UTC")],
    [undefined, undefined, undefined],
  );
  assert.equal(formatLocal(Date.parse("2026-09-30T22:00:00Z"), "Europe/Berlin"), "2026-10-01 00:00");
});

test("[RP2] a range ends at present at the latest, and one that has not begun is refused", () => {
  assert.deepEqual(pastRange({ fromMs: 10, toMs: 20 }, 15), { ok: true, value: { fromMs: 10, toMs: 15 } });
  assert.deepEqual(pastRange({ fromMs: 10, toMs: 20 }, 30), { ok: true, value: { fromMs: 10, toMs: 20 } });
  assert.deepEqual(pastRange({ fromMs: 10, toMs: 20 }, 10), { ok: false, error: "has not begun yet" });
  assert.deepEqual(pastRange({ fromMs: 20, toMs: 20 }, 30), { ok: false, error: "begins at or after its end" });
});
