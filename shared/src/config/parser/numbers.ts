import { formatDuration, parseDuration } from "../../text/duration.ts";
import { addProblem, createParser, describeType, type Parser, quoteText } from "./parser.ts";
import { refineParser, string } from "./scalars.ts";

type Bounds = {
  /** Exclusive lower bound. */
  readonly above?: number;
  /** Inclusive bounds. */
  readonly min?: number;
  readonly max?: number;
};

/** Creates a parser of a number within bounds, fractions included. */
export const number = (bounds: Bounds, fallback = bounds.max ?? 1): Parser<number> =>
  createParser({ kind: "value", type: "number", constraint: formatBounds(bounds) }, (value, node, context) => {
    if (typeof value === "number") {
      const violated = violatedBound(value, bounds);
      if (violated === undefined) return value;
      addProblem(context, node, `must be ${violated}, not ${value}`);
    } else addProblem(context, node, `must be a number, not ${describeType(value)}`);
    return fallback;
  });

/** Creates a parser of a whole number within bounds. */
export function integer(bounds: Bounds): Parser<number> {
  const base = number({ ...bounds, max: bounds.max ?? Number.MAX_SAFE_INTEGER });
  const whole = refineParser(base, {
    convert: (value, fail) => (Number.isSafeInteger(value) ? value : fail(`must be a whole number, not ${value}`)),
    fallback: 1,
  });
  const schema = { kind: "value", type: "int", constraint: formatBounds(bounds) } as const;
  return createParser(schema, (value, node, context) => whole(value, node, context));
}

function violatedBound(value: number, { above, min, max }: Bounds): string | undefined {
  if (above !== undefined && !(value > above)) return `more than ${above}`;
  if (min !== undefined && value < min) return `at least ${min}`;
  return max !== undefined && value > max ? `at most ${max}` : undefined;
}

function formatBounds({ above, min, max }: Bounds): string {
  const from = above === undefined ? (min === undefined ? [] : [`at least ${min}`]) : [`more than ${above}`];
  return [...from, ...(max === undefined ? [] : [`at most ${max}`])].join(", ");
}

const durationText: Parser<string> = createParser(
  { kind: "value", type: "duration", constraint: "" },
  (value, node, context) => string(value, node, context),
);

/** Parser of a duration in Go's syntax, at least `0s`; yields ms. */
export const duration: Parser<number> = refineParser(durationText, {
  convert(value, fail) {
    const parsed = parseDuration(value);
    return parsed.ok ? parsed.value : fail(`${parsed.error}; got ${quoteText(value)}`);
  },
  fallback: 1,
});

/** Parser of a duration of at least ten seconds; yields ms. */
export const tenSecondsOrMore: Parser<number> = refineParser(duration, {
  convert: (value, fail) => (value >= 10_000 ? value : fail(`must be at least 10s, not ${formatDuration(value)}`)),
  fallback: 10_000,
  constraint: "at least `10s`",
});

/** Parser of a duration of more than `0s`; yields ms. */
export const nonZeroDuration: Parser<number> = refineParser(duration, {
  convert: (value, fail) => (value > 0 ? value : fail("must be more than 0s")),
  fallback: 1,
  constraint: "more than `0s`",
});
