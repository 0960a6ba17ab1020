import { isoInstant } from "./format-date-time.ts";

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** The instant that an address names, Unix ms; undefined where it names none. Always UTC, so that links mean the same everywhere. */
export function parsePastInstant(text: string | undefined): number | undefined {
  if (text === undefined || !shape.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** `2026-03-01T12:41:07Z`: an instant for an address, to the second below. */
export const formatPastInstant = (atMs: number): string =>
  `${isoInstant(Math.floor(atMs / 1_000) * 1_000).slice(0, 19)}Z`;

/** `atMs` moved by `byMs`, but never beyond `nowMs`: nobody can show the future. All Unix ms. */
export const shiftPastInstant = (atMs: number, byMs: number, nowMs: number): number => Math.min(atMs + byMs, nowMs);
