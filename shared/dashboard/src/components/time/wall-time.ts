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

/** Times of day at which shifts change. */
export const shiftChanges = ["06:00", "14:00", "22:00"] as const;

type NextTimeOptions = { readonly zone: DisplayZone; readonly weekday?: number; readonly minute?: number };

/** Next time after `nowMs` at which it is `hour`:`minute` in `zone`, Unix ms; on `weekday` if given, 0 is Sunday. */
export function nextHour(nowMs: number, hour: number, { zone, weekday, minute = 0 }: NextTimeOptions): number {
  for (let ahead = 0; ; ahead++) {
    const at = new Date(nowMs);
    if (zone === "utc") {
      at.setUTCDate(at.getUTCDate() + ahead);
      at.setUTCHours(hour, minute, 0, 0);
    } else {
      at.setDate(at.getDate() + ahead);
      at.setHours(hour, minute, 0, 0);
    }
    const day = zone === "utc" ? at.getUTCDay() : at.getDay();
    if (at.getTime() > nowMs && (weekday === undefined || weekday === day)) return at.getTime();
  }
}

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Parses a duration as operators type it: `90m`, `1h30m`, `2 h`, `3d`; undefined for other texts and for zero. */
export function parseSpanMs(text: string): number | undefined {
  const compact = text.replaceAll(/\s/g, "").toLowerCase();
  if (!/^(\d+[mhdw])+$/.test(compact)) return undefined;
  const ms = [...compact.matchAll(/(\d+)([mhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitsMs[unit ?? ""] ?? 0),
    0,
  );
  return ms === 0 ? undefined : ms;
}

const clock = /^([01]?\d|2[0-3])(?::?([0-5]\d))?$/;
const date = /^(\d{4}-\d{2}-\d{2})(?:[t ]+(\S+))?$/;

/**
 * Parses a time as operators type it: `now`, `+2h`, `22:00`, `2200`, `22`, `tomorrow 6:30`, `2026-03-01`,
 * `2026-03-01 22:00`.
 *
 * @param afterMs Unix ms; a time of day is the next one after it, and `+2h` counts from it
 * @returns Unix ms; undefined for another text
 */
export function parseWallTime(text: string, afterMs: number, zone: DisplayZone): number | undefined {
  const typed = text.trim().toLowerCase();
  if (typed === "now") return afterMs;
  if (typed.startsWith("+")) {
    const spanMs = parseSpanMs(typed.slice(1));
    return spanMs === undefined ? undefined : afterMs + spanMs;
  }
  const time = clock.exec(typed);
  if (time !== null) return nextHour(afterMs, Number(time[1]), { zone, minute: Number(time[2] ?? 0) });
  if (typed.startsWith("tomorrow")) {
    const tomorrow = toInputValue(nextHour(afterMs, 0, { zone }), zone).slice(0, 10);
    return parseWallTime(`${tomorrow} ${typed.slice("tomorrow".length).trim()}`.trim(), afterMs, zone);
  }
  const day = date.exec(typed);
  const hours = clock.exec(day?.[2] ?? "0");
  if (day === null || hours === null) return undefined;
  return fromInputValue(`${day[1]}T${pad(Number(hours[1]))}:${hours[2] ?? "00"}`, zone);
}
