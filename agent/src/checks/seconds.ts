import { type PerfPoint, perfPoint } from "@realmwatch/shared/words/perfdata";

/** Seconds to the microsecond; more digits would be noise. */
const toSeconds = (ms: number): number => Math.round(ms * 1_000) / 1_000_000;

/** A point in seconds from a span in ms. */
export const secondsPoint = (label: string, ms: number): PerfPoint => perfPoint(label, toSeconds(ms), "s");

/** The span in a sentence: `0.012 s`. */
export const showSeconds = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;
