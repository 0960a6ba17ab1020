import { parseDuration } from "../../text/duration.ts";
import { complain, kindOf, quote, type Reader, readerOf } from "./parser.ts";
import { refine, text } from "./strings.ts";

type Bounds = {
  /** The number must be more than this. */
  readonly above?: number;
  readonly min?: number;
  readonly max?: number;
};

/** Any number within bounds, a fraction too. `fallback` is read for one that is wrong. */
export const number = (bounds: Bounds, fallback = bounds.max ?? 1): Reader<number> =>
  readerOf({ kind: "value", type: "number", constraint: showBounds(bounds) }, (value, trail, reading) => {
    if (typeof value === "number") {
      const wrong = outside(value, bounds);
      if (wrong === undefined) return value;
      complain(reading, trail, `must be ${wrong}, not ${value}`);
    } else complain(reading, trail, `must be a number, not ${kindOf(value)}`);
    return fallback;
  });

/** A whole number within bounds. */
export function integer(bounds: Bounds): Reader<number> {
  const base = number({ ...bounds, max: bounds.max ?? Number.MAX_SAFE_INTEGER });
  const whole = refine(base, {
    convert: (value, complainAbout) =>
      Number.isSafeInteger(value) ? value : complainAbout(`must be a whole number, not ${value}`),
    fallback: 1,
  });
  const form = { kind: "value", type: "int", constraint: showBounds(bounds) } as const;
  return readerOf(form, (value, trail, reading) => whole(value, trail, reading));
}

function outside(value: number, { above, min, max }: Bounds): string | undefined {
  if (above !== undefined && !(value > above)) return `more than ${above}`;
  if (min !== undefined && value < min) return `at least ${min}`;
  return max !== undefined && value > max ? `at most ${max}` : undefined;
}

function showBounds({ above, min, max }: Bounds): string {
  const from = above === undefined ? (min === undefined ? [] : [`at least ${min}`]) : [`more than ${above}`];
  return [...from, ...(max === undefined ? [] : [`at most ${max}`])].join(", ");
}

const durationText: Reader<string> = readerOf(
  { kind: "value", type: "duration", constraint: "" },
  (value, trail, reading) => text(value, trail, reading),
);

/** A duration in Go's syntax, at least `0s`, as ms. */
export const duration: Reader<number> = refine(durationText, {
  convert(value, complainAbout) {
    const parsed = parseDuration(value);
    return parsed.ok ? parsed.value : complainAbout(`${parsed.error}; got ${quote(value)}`);
  },
  fallback: 1,
});

/** A duration of more than `0s`, as ms. */
export const span: Reader<number> = refine(duration, {
  convert: (value, complainAbout) => (value > 0 ? value : complainAbout("must be more than 0s")),
  fallback: 1,
  constraint: "more than `0s`",
});
