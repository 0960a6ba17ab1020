import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";

/** Half-open time span, Unix ms. */
export type PeriodSpan = { readonly fromMs: number; readonly toMs: number };

/** Time that a calendar searches ahead at least, ms: two years. */
const horizonMs = 730 * 86_400_000;

/** Openings of a period within a span, in order and clipped to it; adjoining openings are merged. */
export function openingsWithin(calendar: Calendar, name: string, { fromMs, toMs }: PeriodSpan): PeriodSpan[] {
  const openings: PeriodSpan[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const openMs = nextChangeWithin((ms) => calendar.nextOpen(name, ms), { fromMs: atMs, toMs });
    if (openMs === toMs) break;
    const closeMs = nextChangeWithin((ms) => calendar.nextClose(name, ms), { fromMs: openMs, toMs });
    openings.push({ fromMs: openMs, toMs: closeMs });
    atMs = closeMs;
  }
  return openings;
}

/** Time of the next opening or closing, at the latest the end; searched in steps of the calendar's horizon. */
function nextChangeWithin(next: (fromMs: number) => number | undefined, { fromMs, toMs }: PeriodSpan): number {
  for (let atMs = fromMs; atMs < toMs; atMs += horizonMs) {
    const changeMs = next(atMs);
    if (changeMs !== undefined) return Math.min(changeMs, toMs);
  }
  return toMs;
}
