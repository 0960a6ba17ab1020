import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";

/** Half-open; Unix ms. */
export type PeriodSpan = { readonly fromMs: number; readonly toMs: number };

/** How far a calendar looks ahead for sure: two years. ms */
const sightMs = 730 * 86_400_000;

/** When a period is open within a span, in order and clipped to it; adjoining openings are one. */
export function openingsWithin(calendar: Calendar, name: string, { fromMs, toMs }: PeriodSpan): PeriodSpan[] {
  const openings: PeriodSpan[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const openMs = turnWithin((ms) => calendar.nextOpen(name, ms), { fromMs: atMs, toMs });
    if (openMs === toMs) break;
    const closeMs = turnWithin((ms) => calendar.nextClose(name, ms), { fromMs: openMs, toMs });
    openings.push({ fromMs: openMs, toMs: closeMs });
    atMs = closeMs;
  }
  return openings;
}

/** Where the period turns next, at the latest the end. A turn beyond the calendar's sight is looked for from there. */
function turnWithin(next: (fromMs: number) => number | undefined, { fromMs, toMs }: PeriodSpan): number {
  for (let atMs = fromMs; atMs < toMs; atMs += sightMs) {
    const turnMs = next(atMs);
    if (turnMs !== undefined) return Math.min(turnMs, toMs);
  }
  return toMs;
}
