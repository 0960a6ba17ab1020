import { parseDuration } from "../text/duration.ts";
import { complain, kindOf, quote, type Reader, refine, text } from "./shape.ts";

type Bounds = {
  /** The number must be more than this. */
  readonly above?: number;
  readonly min?: number;
  readonly max?: number;
};

/** Any number within bounds, a fraction too. `fallback` is read for one that is wrong. */
export const number =
  (bounds: Bounds, fallback = bounds.max ?? 1): Reader<number> =>
  (value, trail, reading) => {
    if (typeof value === "number") {
      const wrong = outside(value, bounds);
      if (wrong === undefined) return value;
      complain(reading, trail, `must be ${wrong}, not ${value}`);
    } else complain(reading, trail, `must be a number, not ${kindOf(value)}`);
    return fallback;
  };

/** A whole number within bounds. */
export const integer = (bounds: Bounds): Reader<number> =>
  refine(
    number({ ...bounds, max: bounds.max ?? Number.MAX_SAFE_INTEGER }),
    (value, complainAbout) => {
      if (Number.isSafeInteger(value)) return value;
      return complainAbout(`must be a whole number, not ${value}`);
    },
    1,
  );

function outside(value: number, { above, min, max }: Bounds): string | undefined {
  if (above !== undefined && !(value > above)) return `more than ${above}`;
  if (min !== undefined && value < min) return `at least ${min}`;
  return max !== undefined && value > max ? `at most ${max}` : undefined;
}

/** A duration in Go's syntax, at least `0s`, as ms. */
export const duration: Reader<number> = refine(
  text,
  (value, complainAbout) => {
    const parsed = parseDuration(value);
    return parsed.ok ? parsed.value : complainAbout(`${parsed.error}; got ${quote(value)}`);
  },
  1,
);

/** A duration of more than `0s`, as ms. */
export const span: Reader<number> = refine(
  duration,
  (value, complainAbout) => (value > 0 ? value : complainAbout("must be more than 0s")),
  1,
);
