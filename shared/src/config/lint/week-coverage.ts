import { type Interval, intersect } from "../../calendar/interval.ts";
import type { Calendar } from "../../calendar/timeperiod.ts";

/** Consecutive weeks of a time zone's wall clock, each from Monday. */
export type Weeks = { readonly zone: string; readonly spans: readonly Interval[] };

/** Minutes of a week [from, to), counted from Monday 00:00. `to` exceeds the week if the range continues on Monday. */
type WeekRange = { readonly from: number; readonly to: number };

const weekMinutes = 7 * 24 * 60;
/** Number of weeks examined: enough to see two-week rotations and to disregard a holiday. */
const weekCount = 8;

/** Returns `weekCount` weeks, starting with the week of `nowMs`. */
export function weeksFrom(nowMs: number, zone: string): Weeks {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const monday = now.startOfDay().subtract({ days: now.dayOfWeek - 1 });
  const startMs = (week: number): number => monday.add({ weeks: week }).startOfDay().epochMilliseconds;
  const spans = Array.from({ length: weekCount }, (_, i) => ({ fromMs: startMs(i), toMs: startMs(i + 1) }));
  return { zone, spans };
}

/** Open times of a timeperiod within a time span. An empty name is always open. */
export function openSpans(calendar: Calendar, name: string, { fromMs, toMs }: Interval): readonly Interval[] {
  if (name === "") return [{ fromMs, toMs }];
  const spans: Interval[] = [];
  for (let at = calendar.nextOpen(name, fromMs); at !== undefined && at < toMs; ) {
    const closesMs = Math.min(calendar.nextClose(name, at) ?? toMs, toMs);
    spans.push({ fromMs: at, toMs: closesMs });
    at = closesMs >= toMs ? undefined : calendar.nextOpen(name, closesMs);
  }
  return spans;
}

/** Finds the minutes of the week that are uncovered in at least half of the weeks. */
export function findGaps(covered: readonly Interval[], { zone, spans }: Weeks): readonly WeekRange[] {
  const weeksCovered = new Uint8Array(weekMinutes);
  for (const week of spans)
    for (const { fromMs, toMs } of intersect(covered, [week])) {
      const until = toMs === week.toMs ? weekMinutes : minuteOfWeek(toMs, zone);
      for (let minute = minuteOfWeek(fromMs, zone); minute < until; minute += 1)
        weeksCovered[minute] = (weeksCovered[minute] ?? 0) + 1;
    }
  return rangesOf((minute) => (weeksCovered[minute] ?? 0) <= spans.length / 2);
}

function minuteOfWeek(atMs: number, zone: string): number {
  const { dayOfWeek, hour, minute } = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  return (dayOfWeek - 1) * 1440 + hour * 60 + minute;
}

/** Ranges of consecutive minutes. A range that continues from Sunday to Monday is one. */
function rangesOf(isIn: (minute: number) => boolean): readonly WeekRange[] {
  const ranges: WeekRange[] = [];
  for (let minute = 0; minute < weekMinutes; minute += 1) {
    const last = ranges.at(-1);
    if (!isIn(minute)) continue;
    if (last?.to === minute) ranges[ranges.length - 1] = { from: last.from, to: minute + 1 };
    else ranges.push({ from: minute, to: minute + 1 });
  }
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first === undefined || last === undefined || first === last || first.from !== 0 || last.to !== weekMinutes)
    return ranges;
  return [...ranges.slice(1, -1), { from: last.from, to: weekMinutes + first.to }];
}

export const isWholeWeek = (ranges: readonly WeekRange[]): boolean =>
  ranges.length === 1 && ranges.every(({ from, to }) => from === 0 && to === weekMinutes);

/** Removes `without` from `ranges`. */
export function subtractRanges(ranges: readonly WeekRange[], without: readonly WeekRange[]): readonly WeekRange[] {
  const holds = (list: readonly WeekRange[], minute: number): boolean =>
    list.some(({ from, to }) => (from <= minute && minute < to) || minute + weekMinutes < to);
  return rangesOf((minute) => holds(ranges, minute) && !holds(without, minute));
}

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** Maximum number of ranges listed. Further ranges are counted. */
const maxListed = 8;

/** Formats `Sat 18:00 to Mon 08:00, Tue 00:00 to Tue 08:00`. Midnight at the end of a day is `24:00`. */
export function formatWeekRanges(ranges: readonly WeekRange[]): string {
  const listed = ranges.slice(0, maxListed).map(({ from, to }) => `${formatMinute(from)} to ${formatEnd(to)}`);
  const more = ranges.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const formatMinute = (minute: number): string => {
  const inWeek = minute % weekMinutes;
  return `${days[Math.floor(inWeek / 1440)]} ${formatTimeOfDay(inWeek % 1440)}`;
};
const formatEnd = (minute: number): string =>
  minute % 1440 === 0 ? `${days[(minute / 1440 + 6) % 7]} 24:00` : formatMinute(minute);
const formatTimeOfDay = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
