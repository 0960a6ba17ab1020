import type { DisplayZone } from "../../api/context/preferences.ts";
import { nextHour } from "../../components/time/wall-time.ts";

export const daysOfWeek = 7;
const weeks = 4;

/** Starts of the days of four weeks and the end of the last one, Unix ms. Days may have 23 or 25 hours. */
export type CalendarDays = readonly number[];

/** Four weeks that begin with the day of `nowMs`, or `offset` weeks later. */
export function calendarDays(nowMs: number, offset: number, zone: DisplayZone): CalendarDays {
  const starts: number[] = [];
  // The next midnight is that of tomorrow, or that of today when it is just midnight.
  let next = nextHour(nowMs, 0, { zone });
  const today = nextHour(next - 26 * 3_600_000, 0, { zone });
  let start = today <= nowMs ? today : nextHour(next - 50 * 3_600_000, 0, { zone });
  for (let day = 0; day <= daysOfWeek * (offset + weeks); day++) {
    if (day >= daysOfWeek * offset) starts.push(start);
    start = next;
    next = nextHour(next, 0, { zone });
  }
  return starts;
}

type Range = { readonly startMs: number; readonly endMs: number };

/** Part of a day that a downtime covers, as fractions of its length, and the line that its bars have on all days. */
export type DayBar<T> = { readonly of: T; readonly lane: number; readonly left: number; readonly width: number };

/** Bars of each day. Two downtimes of the same day have different lanes; the earlier one has the higher place. */
export function dayBars<T extends Range>(days: CalendarDays, ranges: readonly T[]): readonly (readonly DayBar<T>[])[] {
  const bars = days.slice(1).map((): DayBar<T>[] => []);
  const taken: number[] = [];
  for (const range of ranges.toSorted((a, b) => a.startMs - b.startMs)) {
    const covered = bars.flatMap((_, day) => {
      const [from = 0, until = 0] = [days[day], days[day + 1]];
      const [left, right] = [Math.max(from, range.startMs), Math.min(until, range.endMs)];
      return right > left
        ? [{ day, left: (left - from) / (until - from), width: (right - left) / (until - from) }]
        : [];
    });
    const [first, last] = [covered[0]?.day, covered.at(-1)?.day];
    if (first === undefined || last === undefined) continue;
    const free = taken.findIndex((day) => day < first);
    const lane = free === -1 ? taken.length : free;
    taken[lane] = last;
    for (const { day, left, width } of covered) bars[day]?.push({ of: range, lane, left, width });
  }
  return bars;
}

/** Day that an arrow key leads to, from 0; undefined for another key. */
export function dayAfterKey(day: number, key: string, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -daysOfWeek,
    ArrowDown: daysOfWeek,
    Home: -(day % daysOfWeek),
    End: daysOfWeek - 1 - (day % daysOfWeek),
  };
  const step = steps[key];
  if (step === undefined) return undefined;
  return day + step < 0 || day + step >= count ? day : day + step;
}
