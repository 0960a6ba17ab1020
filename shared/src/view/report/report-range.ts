import type { CivilDate } from "../../calendar/civil-day.ts";
import { fail, ok, type Result } from "../../model/result.ts";

/** Range of a report, Unix ms; `toMs` is exclusive. */
export type ReportRange = { readonly fromMs: number; readonly toMs: number };

const formats = new Map<string, Intl.DateTimeFormat>();

/** Format of the local time in a zone. By Intl, because not every browser has Temporal. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-u-ca-iso8601-nu-latn", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });
  formats.set(zone, format);
  return format;
}

/** Local time in a zone as if it were UTC, Unix ms in whole seconds. */
function localMs(atMs: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** True for the name of a zone of the IANA database. */
export function isZone(name: string): boolean {
  try {
    return formatOf(name).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Beginning of a day in a zone, Unix ms: where the clock skips midnight, the time to which it is put forward. */
export function dayStartMs({ year, month, day }: CivilDate, zone: string): number {
  const midnightMs = Date.UTC(year, month - 1, day);
  const [before, after] = [-1, 1].map((days) => {
    const nearMs = midnightMs + days * 86_400_000;
    return localMs(nearMs, zone) - nearMs;
  });
  // On a day with two midnights the offset before the change gives the earlier one.
  for (const offsetMs of [before ?? 0, after ?? 0])
    if (localMs(midnightMs - offsetMs, zone) === midnightMs) return midnightMs - offsetMs;
  return midnightMs - (before ?? 0);
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** Month of a zone's calendar as `2026-10`. */
export function monthAt(atMs: number, zone: string): string {
  const local = new Date(localMs(atMs, zone));
  return `${local.getUTCFullYear()}-${pad(local.getUTCMonth() + 1)}`;
}

/** Month a number of months after another one, both as `2026-10`. */
export function laterMonth(month: string, count: number): string {
  const later = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1 + count));
  return `${later.getUTCFullYear()}-${pad(later.getUTCMonth() + 1)}`;
}

/** True for a month such as `2026-10`, from 1970 on. */
export const isMonth = (text: string): boolean => /^(?:19[7-9]\d|[2-8]\d{3})-(?:0[1-9]|1[0-2])$/.test(text);

/** [RP1] Range of a month in a zone. @param month such as `2026-10` */
export function monthRange(month: string, zone: string): ReportRange {
  const start = (text: string): number =>
    dayStartMs({ year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: 1 }, zone);
  return { fromMs: start(month), toMs: start(laterMonth(month, 1)) };
}

/** Beginning of a date such as `2026-10-15` in a zone, Unix ms; undefined for a date that does not exist. */
export function dateStartMs(text: string, zone: string): number | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1970) return undefined;
  const normal = new Date(Date.UTC(year, month - 1, day)).toISOString();
  return normal.startsWith(text) ? dayStartMs({ year, month, day }, zone) : undefined;
}

/** [RP2] Part of a range that is over: the future has no evidence. Fails with the end of a sentence. */
export function pastRange({ fromMs, toMs }: ReportRange, nowMs: number): Result<ReportRange, string> {
  if (fromMs >= toMs) return fail("begins at or after its end");
  return fromMs < nowMs ? ok({ fromMs, toMs: Math.min(toMs, nowMs) }) : fail("has not begun yet");
}

/** Local time in a zone as `2026-10-01 00:00`. */
export const formatLocal = (atMs: number, zone: string): string =>
  new Date(localMs(atMs, zone)).toISOString().slice(0, 16).replace("T", " ");
