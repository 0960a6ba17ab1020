import { complain, kindOf, quote, type Reader, readerOf } from "./parser.ts";

/** How a reader is narrowed. */
type Refinement<A, B> = {
  /** Checks and converts; where something is wrong it answers what `complainAbout` answers: undefined. */
  readonly convert: (value: A, complainAbout: (predicate: string) => undefined) => B | undefined;
  /** What is read where something is wrong. */
  readonly fallback: B;
  /** What the narrowed reader demands, as a phrase; default: what the base does. */
  readonly constraint?: string;
};

/** A reader that checks and converts what another one read. */
export function refine<A, B>(base: Reader<A>, { convert, fallback, constraint }: Refinement<A, B>): Reader<B> {
  const form = base.form.kind === "value" && constraint !== undefined ? { ...base.form, constraint } : base.form;
  return readerOf(form, (value, trail, reading) => {
    const before = reading.problems.length;
    const read = base(value, trail, reading);
    if (reading.problems.length > before) return fallback;
    const converted = convert(read, (predicate) => {
      complain(reading, trail, predicate);
      return undefined;
    });
    return converted === undefined ? fallback : converted;
  });
}

/** Any string. */
export const text: Reader<string> = readerOf(
  { kind: "value", type: "string", constraint: "" },
  (value, trail, reading) => {
    if (typeof value === "string") return value;
    complain(reading, trail, `must be a string, not ${kindOf(value)}`);
    return "";
  },
);

/** A string with at least one character. */
export const filled: Reader<string> = refine(text, {
  convert: (value, complainAbout) => (value === "" ? complainAbout("must not be empty") : value),
  fallback: "",
  constraint: "not empty",
});

/** One of a few words. */
export function word<const W extends string>(words: readonly W[]): Reader<W> {
  const shown = words.map((each) => JSON.stringify(each));
  return refine<string, W>(text, {
    convert(value, complainAbout) {
      if ((words as readonly string[]).includes(value)) return value as W;
      return complainAbout(`must be ${shown.join(" or ")}, not ${quote(value)}`);
    },
    fallback: words[0] as W,
    constraint: `one of ${shown.map((each) => `\`${each}\``).join(", ")}`,
  });
}

/** A string that matches a pattern; another one reads as `fallback`. */
export const textLike = (pattern: RegExp, fallback: string): Reader<string> =>
  refine(text, {
    convert: (value, complainAbout) => (pattern.test(value) ? value : complainAbout(`must match ${pattern.source}`)),
    fallback,
    constraint: `matches \`${pattern.source}\``,
  });

export const flag: Reader<boolean> = readerOf(
  { kind: "value", type: "bool", constraint: "" },
  (value, trail, reading) => {
    if (typeof value === "boolean") return value;
    complain(reading, trail, `must be true or false, not ${kindOf(value)}`);
    return false;
  },
);
