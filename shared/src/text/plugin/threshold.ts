import { fail, ok, type Result } from "../../model/result.ts";

/**
 * Threshold range as in monitoring-plugins. `start` and `end` are inclusive and may be infinite; `start <= end`. Whole
 * numbers are bigints, so that 64-bit counters are compared exactly.
 */
export type Threshold = {
  readonly start: bigint | number;
  readonly end: bigint | number;
  /** False: values outside the range alert. True (`@`): values inside it alert. */
  readonly alertInside: boolean;
};

const number = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const wholeNumber = /^[+-]?[0-9]+$/;

function parseNumber(text: string): bigint | number | undefined {
  const value = number.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return undefined;
  return wholeNumber.test(text) ? BigInt(text) : value;
}

/**
 * Parses `[@]start:end`: `10`, `10:`, `~:10`, `10:20`, `@10:20`. The default start is 0 (`:10`), the default end is
 * infinity, `~` is minus infinity; blanks around numbers are ignored. Fails with a phrase. An empty text is an error:
 * callers that use it for "no threshold" must check first.
 */
export function parseThreshold(text: string): Result<Threshold, string> {
  const alertInside = text.trimStart().startsWith("@");
  const range = text.trim().slice(alertInside ? 1 : 0);
  const parts = range.split(":").map((part) => part.trim());
  const [first = "", second] = parts;
  if (parts.length > 2) return fail("has more than one colon");
  if (first === "" && !second) return fail("has neither a start nor an end");
  if (first === "~" && second === undefined) return fail('has a "~" without a colon');

  const start = second === undefined || first === "" ? 0 : first === "~" ? -Infinity : parseNumber(first);
  const last = second ?? first;
  const end = last === "" ? Infinity : parseNumber(last);
  if (start === undefined) return fail(`has a start that is not a number: ${JSON.stringify(first)}`);
  if (end === undefined) return fail(`has an end that is not a number: ${JSON.stringify(last)}`);
  if (start > end) return fail("has a start above its end");
  return ok({ start, end, alertInside });
}

/** True when `value` violates the threshold. Exact for bigints, which JavaScript compares exactly with numbers. */
export const isAlerting = ({ start, end, alertInside }: Threshold, value: bigint | number): boolean =>
  (value >= start && value <= end) === alertInside;
