import type { DisplayZone } from "../../api/context/preferences.ts";
import { nextHour, shiftChanges } from "../../components/time/wall-time.ts";

const spansMs: Readonly<Record<string, number>> = { "8h": 28_800_000, "12h": 43_200_000, "24h": 86_400_000 };

/** Beginnings of a shift: the last such hour before its end, or its length. */
export const shiftSinces: readonly string[] = [...shiftChanges, ...Object.keys(spansMs)];
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
  const spanMs = (since === undefined ? undefined : spansMs[since]) ?? spansMs["8h"] ?? 0;
  return { sinceMs: untilMs - spanMs, untilMs };
}

const isChange = (text: string | undefined): text is string => shiftChanges.some((change) => change === text);

/** Last time at which the clock showed the hour, at `beforeMs` at the latest. */
const lastHour = (beforeMs: number, hour: string, zone: DisplayZone): number =>
  nextHour(beforeMs - 86_400_000, Number(hour.slice(0, 2)), { zone });
