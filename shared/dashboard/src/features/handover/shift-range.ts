import type { DisplayZone } from "../../api/context/preferences.ts";
import { nextHour, parseSpanMs, shiftChanges } from "../../components/time/wall-time.ts";

const spans = ["8h", "12h", "24h"];

/** Beginnings of a shift: the last such hour before its end, or its length. */
export const shiftSinces: readonly string[] = [...shiftChanges, ...spans];
/** Ends of a shift: now, or the last such hour. */
export const shiftUntils: readonly string[] = ["now", ...shiftChanges];

/** Time range of a shift, Unix ms. An invalid choice in the address counts as the first span, or as now. */
export function shiftRange(
  { since, until }: { readonly since: string | undefined; readonly until: string | undefined },
  nowMs: number,
  zone: DisplayZone,
): { readonly sinceMs: number; readonly untilMs: number } {
  const untilMs = isChange(until) ? lastHour(nowMs, until, zone) : nowMs;
  if (isChange(since)) return { sinceMs: lastHour(untilMs - 1, since, zone), untilMs };
  const span = spans.find((name) => name === since) ?? "8h";
  return { sinceMs: untilMs - (parseSpanMs(span) ?? 0), untilMs };
}

const isChange = (text: string | undefined): text is string => shiftChanges.some((change) => change === text);

/** Last time at which the clock showed the hour, at `beforeMs` at the latest. */
const lastHour = (beforeMs: number, hour: string, zone: DisplayZone): number =>
  nextHour(beforeMs - 86_400_000, Number(hour.slice(0, 2)), { zone });
