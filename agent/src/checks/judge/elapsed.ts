import { type PerfPoint, perfPoint } from "@realmwatch/shared/model/perfdata";

/** Seconds to the microsecond; more digits would be noise. */
const toSeconds = (ms: number): number => Math.round(ms * 1_000) / 1_000_000;

/** A point in seconds from a span in ms. */
export const secondsPerfPoint = (label: string, ms: number): PerfPoint => perfPoint(label, toSeconds(ms), "s");

/** The span in a sentence: `0.5 ms`, `12 ms`, `1.25 s`. */
export function formatElapsed(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
