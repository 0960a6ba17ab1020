import { addProblem, createParser, describeType, type Parser, quoteText } from "./parser.ts";

/** Additional check and conversion of a parser's output. */
type Refinement<A, B> = {
  /** Checks and converts a value. For a wrong one it returns `fail(predicate)`, which is undefined. */
  readonly convert: (value: A, fail: (predicate: string) => undefined) => B | undefined;
  /** Output for a wrong value. */
  readonly fallback: B;
  /** Condition in the reference, as a phrase; default: that of the base parser. */
  readonly constraint?: string;
};

/** Creates a parser that checks and converts the output of another one. */
export function refineParser<A, B>(base: Parser<A>, { convert, fallback, constraint }: Refinement<A, B>): Parser<B> {
  const schema =
    base.schema.kind === "value" && constraint !== undefined ? { ...base.schema, constraint } : base.schema;
  return createParser(schema, (value, node, context) => {
    const problemCount = context.problems.length;
    const output = base(value, node, context);
    if (context.problems.length > problemCount) return fallback;
    const converted = convert(output, (predicate) => {
      addProblem(context, node, predicate);
      return undefined;
    });
    return converted === undefined ? fallback : converted;
  });
}

export const string: Parser<string> = createParser(
  { kind: "value", type: "string", constraint: "" },
  (value, node, context) => {
    if (typeof value === "string") return value;
    addProblem(context, node, `must be a string, not ${describeType(value)}`);
    return "";
  },
);

export const nonEmptyString: Parser<string> = refineParser(string, {
  convert: (value, fail) => (value === "" ? fail("must not be empty") : value),
  fallback: "",
  constraint: "not empty",
});

/** Creates a parser of one of several strings. The fallback is the first. */
export function picklist<const W extends string>(options: readonly W[]): Parser<W> {
  const quoted = options.map((each) => JSON.stringify(each));
  return refineParser<string, W>(string, {
    convert(value, fail) {
      if ((options as readonly string[]).includes(value)) return value as W;
      return fail(`must be ${quoted.join(" or ")}, not ${quoteText(value)}`);
    },
    fallback: options[0] as W,
    constraint: `one of ${quoted.map((each) => `\`${each}\``).join(", ")}`,
  });
}

/** Creates a parser of a string that matches a pattern. */
export const stringMatching = (pattern: RegExp, fallback: string): Parser<string> =>
  refineParser(string, {
    convert: (value, fail) => (pattern.test(value) ? value : fail(`must match ${pattern.source}`)),
    fallback,
    constraint: `matches \`${pattern.source}\``,
  });

export const boolean: Parser<boolean> = createParser(
  { kind: "value", type: "bool", constraint: "" },
  (value, node, context) => {
    if (typeof value === "boolean") return value;
    addProblem(context, node, `must be true or false, not ${describeType(value)}`);
    return false;
  },
);
