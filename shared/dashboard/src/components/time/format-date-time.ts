import type { DisplayZone } from "../../api/context/preferences.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: DisplayZone, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${name}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("sv-SE", { ...options, ...(zone === "utc" ? { timeZone: "UTC" } : {}) });
  formats.set(key, made);
  return made;
}

const clockTime = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const day = { year: "numeric", month: "2-digit", day: "2-digit" } as const;

/** `2026-03-01 12:41:07`. */
export const formatDateTime = (atMs: number, zone: DisplayZone): string =>
  format(zone, "instant", { ...day, ...clockTime }).format(atMs);

/** `2026-03-01`. */
export const formatDate = (atMs: number, zone: DisplayZone): string => format(zone, "day", day).format(atMs);

/** `12:41:07`. */
export const formatClockTime = (atMs: number, zone: DisplayZone): string =>
  format(zone, "time", clockTime).format(atMs);

/** `12:41:07`, with the date when it is not that of `nowMs`. */
export const formatNearDateTime = (atMs: number, nowMs: number, zone: DisplayZone): string =>
  formatDate(atMs, zone) === formatDate(nowMs, zone) ? formatClockTime(atMs, zone) : formatDateTime(atMs, zone);

/** `12:41`, with the date when it is not that of `nowMs`. */
export function formatShortDateTime(atMs: number, nowMs: number, zone: DisplayZone): string {
  const time = format(zone, "minute", { hour: "2-digit", minute: "2-digit" }).format(atMs);
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
