import type { Interval } from "../calendar/interval.ts";
import type { Calendar } from "../calendar/timeperiod.ts";

/** Time that a calendar searches for the next opening at least, ms. */
const horizonMs = 730 * 86_400_000;

/** [SL5] Parts of a range in which a timeperiod is open. `period`: its name; empty for always. */
export function periodIntervals(
  calendar: Pick<Calendar, "occurrence">,
  period: string,
  { fromMs, toMs }: Interval,
): readonly Interval[] {
  if (period === "") return [{ fromMs, toMs }];
  const intervals: Interval[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const opening = calendar.occurrence(period, atMs);
    if (opening === undefined) {
      atMs += horizonMs;
      continue;
    }
    const open = { fromMs: Math.max(atMs, opening.fromMs), toMs: Math.min(toMs, opening.toMs) };
    if (open.fromMs < open.toMs) intervals.push(open);
    atMs = Math.max(opening.toMs, atMs + 1);
  }
  return intervals;
}
