import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interval } from "@realmwatch/shared/calendar/interval";
import fc from "fast-check";
import { RecurringWindows } from "./recurring-windows.ts";

const hourMs = 3_600_000;
const plan = (name: string, period: string, refs: string[]) => ({
  ...{ name, period, refs, comment: `${name} comes again` },
  scope: "host" as const,
});

/** Calendar with periods that open for the first hour of every so many hours; 0 for never. */
function calendarOf(periods: Record<string, number>) {
  const asked: string[] = [];
  const occurrence = (name: string, atMs: number): Interval | undefined => {
    asked.push(name);
    const everyMs = (periods[name] ?? 0) * hourMs;
    if (everyMs === 0) return undefined;
    const fromMs = Math.floor(atMs / everyMs) * everyMs;
    return atMs < fromMs + hourMs
      ? { fromMs, toMs: fromMs + hourMs }
      : { fromMs: fromMs + everyMs, toMs: fromMs + everyMs + hourMs };
  };
  return { asked, occurrence };
}

test("[DT8] an object has the current or the next occurrence of each of its downtimes", () => {
  const calendar = calendarOf({ night: 24, shift: 8 });
  const windows = new RecurringWindows([plan("backup", "night", ["a", "b"]), plan("change", "shift", ["b"])], calendar);
  const at = (ref: string, hours: number) =>
    windows.of(ref, hours * hourMs).map(({ name, startMs, endMs }) => [name, startMs / hourMs, endMs / hourMs]);
  assert.deepEqual(at("a", 0.5), [["backup", 0, 1]]);
  assert.deepEqual(at("a", 1), [["backup", 24, 25]], "the end is exclusive");
  assert.deepEqual(at("b", 9), [
    ["backup", 24, 25],
    ["change", 16, 17],
  ]);
  assert.deepEqual(at("a", 0.9), [["backup", 0, 1]], "after the clock was set back");
  assert.deepEqual(at("other", 3), []);
});

test("[DT8] an occurrence is computed once, however many objects have it", () => {
  const calendar = calendarOf({ night: 24, never: 0 });
  const refs = Array.from({ length: 10_000 }, (_, n) => `host${n}`);
  const windows = new RecurringWindows([plan("backup", "night", refs), plan("gone", "never", refs)], calendar);
  const [first] = refs.map((ref) => windows.of(ref, 2 * hourMs));
  for (const ref of refs) assert.equal(windows.of(ref, 24.5 * hourMs), first);
  assert.deepEqual(calendar.asked, ["night", "never"]);
  for (const ref of refs) assert.equal(windows.of(ref, 25 * hourMs).length, 1);
  assert.deepEqual(calendar.asked, ["night", "never", "night"], "a period that never opens is computed once a day");
});

test("[DT8] cached windows equal newly computed ones, whichever way the clock moves", () => {
  const calendar = calendarOf({ night: 24, shift: 8, never: 0 });
  const plans = [plan("backup", "night", ["a", "b"]), plan("change", "shift", ["b", "c"]), plan("x", "never", ["a"])];
  const asked = fc.record({
    ref: fc.constantFrom("a", "b", "c", "d"),
    hours: fc.double({ min: 0, max: 60, noNaN: true }),
  });
  const property = fc.property(fc.array(asked, { maxLength: 40 }), (all) => {
    const cached = new RecurringWindows(plans, calendar);
    for (const { ref, hours } of all)
      assert.deepEqual(cached.of(ref, hours * hourMs), new RecurringWindows(plans, calendar).of(ref, hours * hourMs));
  });
  fc.assert(property, { numRuns: 300 });
});
