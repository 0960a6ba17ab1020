import type { DisplayZone } from "../../api/context/preferences.ts";
import { nextHour } from "../../components/time/wall-time.ts";

const days = 7;

/** Starts of seven days and the end of the last one, Unix ms. Days with a change of the clock have 23 or 25 hours. */
export type Week = readonly number[];

/** Week that begins with the day of `nowMs`, or `offset` weeks later. */
export function weekOf(nowMs: number, offset: number, zone: DisplayZone): Week {
  const starts: number[] = [];
  // The next midnight is that of tomorrow, or that of today when it is just midnight.
  let next = nextHour(nowMs, 0, { zone });
  const today = nextHour(next - 26 * 3_600_000, 0, { zone });
  let start = today <= nowMs ? today : nextHour(next - 50 * 3_600_000, 0, { zone });
  for (let day = 0; day <= days * (offset + 1); day++) {
    if (day >= days * offset) starts.push(start);
    start = next;
    next = nextHour(next, 0, { zone });
  }
  return starts;
}

/** Part of a week as fractions of its length. */
type WeekPart = { readonly left: number; readonly width: number };

/** Part of the week that a time range covers; undefined when it is outside. Times are Unix ms. */
export function partOfWeek(week: Week, startMs: number, endMs: number): WeekPart | undefined {
  const [from = 0, until = 0] = [week[0], week.at(-1)];
  const [left, right] = [Math.max(from, startMs), Math.min(until, endMs)];
  if (right <= left) return undefined;
  return { left: (left - from) / (until - from), width: (right - left) / (until - from) };
}
