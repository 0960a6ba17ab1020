import assert from "node:assert/strict";
import { test } from "node:test";
import { partOfWeek, weekOf } from "./week.ts";

const at = (text: string): number => Date.parse(`${text}Z`);
const iso = (ms: number | undefined): string => new Date(ms ?? 0).toISOString().slice(0, 16);

for (const now of ["2026-11-20T00:00", "2026-11-20T12:41", "2026-11-20T23:59"])
  test(`the week at ${now} begins on that day`, () => {
    const week = weekOf(at(now), 0, "utc");
    assert.deepEqual([week.length, iso(week[0]), iso(week.at(-1))], [8, "2026-11-20T00:00", "2026-11-27T00:00"]);
  });

test("the next week begins where this one ends", () =>
  assert.equal(weekOf(at("2026-11-20T12:00"), 1, "utc")[0], weekOf(at("2026-11-20T12:00"), 0, "utc").at(-1)));

test("a range is cut at the edges of the week", () => {
  const week = weekOf(at("2026-11-20T12:00"), 0, "utc");
  assert.deepEqual(partOfWeek(week, at("2026-11-19T00:00"), at("2026-11-21T00:00")), { left: 0, width: 1 / 7 });
  assert.equal(partOfWeek(week, at("2026-11-27T00:00"), at("2026-11-28T00:00")), undefined);
});
