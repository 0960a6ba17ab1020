import type { DisplayZone } from "../../api/context/preferences.ts";

const pad = (value: number): string => String(value).padStart(2, "0");

/** Value of a `datetime-local` input for a time: `2026-03-01T12:41`. */
export function toInputValue(atMs: number, zone: DisplayZone): string {
  const at = new Date(atMs);
  return zone === "utc"
    ? at.toISOString().slice(0, 16)
    : `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** Time that a `datetime-local` input holds, Unix ms; undefined when it is empty or not a date. */
export function fromInputValue(value: string, zone: DisplayZone): number | undefined {
  const atMs = Date.parse(zone === "utc" ? `${value}Z` : value);
  return value === "" || Number.isNaN(atMs) ? undefined : atMs;
}

/** Next time after `nowMs` at which it is `hour`:00 in `zone`, Unix ms; on `weekday` if given, 0 is Sunday. */
export function nextHour(
  nowMs: number,
  hour: number,
  { zone, weekday }: { zone: DisplayZone; weekday?: number },
): number {
  for (let ahead = 0; ; ahead++) {
    const at = new Date(nowMs);
    if (zone === "utc") {
      at.setUTCDate(at.getUTCDate() + ahead);
      at.setUTCHours(hour, 0, 0, 0);
    } else {
      at.setDate(at.getDate() + ahead);
      at.setHours(hour, 0, 0, 0);
    }
    const day = zone === "utc" ? at.getUTCDay() : at.getDay();
    if (at.getTime() > nowMs && (weekday === undefined || weekday === day)) return at.getTime();
  }
}
