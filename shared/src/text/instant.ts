import { fail, ok, type Result } from "../model/result.ts";

const pattern = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Parses an instant in RFC 3339 format with an offset from UTC: `2026-03-29T01:30:00+01:00`.
 *
 * @returns Unix ms, rounded down; or a predicate that says why the text is invalid
 */
export function parseInstant(text: string): Result<number, string> {
  const parts = pattern.exec(text);
  if (parts === null) return fail("is not an instant: write RFC 3339, such as 2026-03-29T01:30:00Z");
  const [, date, time, offset] = parts;
  try {
    return ok(Temporal.Instant.from(`${date}T${time}${offset?.toUpperCase()}`).epochMilliseconds);
  } catch {
    return fail("is not an instant: there is no such date or time of day");
  }
}

/** Formats an instant (Unix ms) in UTC in the shortest form of RFC 3339: `2026-03-29T01:30:00Z`. */
export const formatInstant = (atMs: number): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toString();

/** Formats an instant in UTC, truncated to seconds. */
export const formatSecond = (atMs: number): string => formatInstant(Math.floor(atMs / 1_000) * 1_000);
