import { fail, ok, type Result } from "../model/result.ts";

/** Maximum duration, ms: ten years of 365 days. */
export const maxDurationMs = 10 * 365 * 24 * 3_600_000;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const whole = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * Parses a duration in Go's syntax: `300ms`, `1h30m`, `1.5h`; `0` is the only number without a unit.
 *
 * @returns ms, finite and at least 0, possibly with a fraction (`1us` is 0.001); or a predicate that says why the text is
 *   invalid (`is not a duration: …`)
 */
export function parseDuration(text: string): Result<number, string> {
  if (text === "0") return ok(0);
  const isShort = text.length <= 100;
  if (isShort && /^[+-]/.test(text) && whole.test(text.slice(1)))
    return fail("is not a duration: it must not have a sign");
  if (!isShort || !whole.test(text)) {
    return fail("is not a duration: write numbers with units, such as 300ms, 60s or 1h30m");
  }
  let ms = 0;
  for (const [, count, unit] of text.matchAll(part)) ms += Number(count) * (unitMs[unit ?? ""] ?? Number.NaN);
  return ms <= maxDurationMs ? ok(ms) : fail("is too long a duration: at most ten years (87600h)");
}

/** Formats `ms` in Go's syntax: `1h30m`, `45s`, `250ms`, `0s`. Inverse of `parseDuration`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1_000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1_000;
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${seconds > 0 ? `${seconds}s` : ""}`;
}
