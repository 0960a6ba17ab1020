import type { DisplayZone } from "../../api/context/preferences.ts";

/** Formatter of times in the browser's locale, but always with 24 hours: `7:00` is never taken for the evening. */
function formatter(options: Intl.DateTimeFormatOptions): (atMs: number, zone: DisplayZone) => string {
  const made: { [Zone in DisplayZone]?: Intl.DateTimeFormat } = {};
  return (atMs, zone) => {
    const timeZone = zone === "utc" ? { timeZone: "UTC" } : {};
    made[zone] ??= new Intl.DateTimeFormat(undefined, { hourCycle: "h23", ...options, ...timeZone });
    return made[zone].format(atMs);
  };
}

const clockTime = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
/** The month by its name, because the order of numbers differs between locales. */
const day = { year: "numeric", month: "short", day: "numeric" } as const;

/** `1 Mar 2026, 12:41:07`. */
export const formatDateTime = formatter({ ...day, ...clockTime });
/** `1 Mar 2026`. */
export const formatDate = formatter(day);
/** `1 Mar`. */
export const formatDayOfMonth = formatter({ month: "short", day: "numeric" });
/** `Sun`. */
export const formatWeekday = formatter({ weekday: "short" });
/** `12:41`. */
export const formatMinute = formatter({ hour: "2-digit", minute: "2-digit" });
/** `12:41:07`. */
export const formatClockTime = formatter(clockTime);

/** `12:41:07`, with the date when it is not that of `nowMs`. */
export const formatNearDateTime = (atMs: number, nowMs: number, zone: DisplayZone): string =>
  formatDate(atMs, zone) === formatDate(nowMs, zone) ? formatClockTime(atMs, zone) : formatDateTime(atMs, zone);

/** `12:41`, with the date when it is not that of `nowMs`. */
export function formatShortDateTime(atMs: number, nowMs: number, zone: DisplayZone): string {
  const time = formatMinute(atMs, zone);
  return formatDate(atMs, zone) === formatDate(nowMs, zone) ? time : `${formatDate(atMs, zone)} ${time}`;
}

/** Name of the zone at a time, for the labels of time inputs: `Europe/Berlin (UTC+1)` or `UTC`. */
export function formatZone(zone: DisplayZone, atMs: number): string {
  if (zone === "utc") return "UTC";
  const named = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset" });
  const offset = named.formatToParts(atMs).find((part) => part.type === "timeZoneName")?.value ?? "";
  return `${named.resolvedOptions().timeZone} (${offset.replace("GMT", "UTC")})`;
}

/** ISO 8601 in UTC, for `datetime` attributes and titles. */
export const isoInstant = (atMs: number): string => new Date(atMs).toISOString();
