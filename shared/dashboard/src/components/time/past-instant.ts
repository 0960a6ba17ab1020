import { isoInstant } from "./format-date-time.ts";

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** Parses the time in an address, Unix ms; undefined when it is not one. Always UTC, so that links can be shared. */
export function parsePastInstant(text: string | undefined): number | undefined {
  if (text === undefined || !shape.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Formats a time for an address, rounded down to the second: `2026-03-01T12:41:07Z`. */
export const formatPastInstant = (atMs: number): string =>
  `${isoInstant(Math.floor(atMs / 1_000) * 1_000).slice(0, 19)}Z`;

/** Shifts `atMs` by `byMs` ms, up to `nowMs` at most. Times are Unix ms. */
export const shiftPastInstant = (atMs: number, byMs: number, nowMs: number): number => Math.min(atMs + byMs, nowMs);
