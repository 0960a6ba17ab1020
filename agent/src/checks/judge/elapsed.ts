import { type PerfPoint, perfPoint } from "@realmwatch/shared/model/perfdata";

/** Converts to seconds, rounded to microseconds. */
const toSeconds = (ms: number): number => Math.round(ms * 1_000) / 1_000_000;

/** Performance data point in seconds of a time in ms. */
export const secondsPerfPoint = (label: string, ms: number): PerfPoint => perfPoint(label, toSeconds(ms), "s");

/** Formats a time for outputs: `0.5 ms`, `12 ms`, `1.25 s`. */
export function formatElapsed(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
