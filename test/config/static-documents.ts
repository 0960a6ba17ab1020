import fc from "fast-check";

// Generated documents: mostly static data in every notation, some slightly invalid, some with CUE expressions.

/** Chooses one of several arbitraries by weight. */
const weighted = <T>(...choices: readonly [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(""));

const blank = weighted([6, oneOf(" ", "")], [1, oneOf("  ", "\t", " \t ", "\r")]);
const lineEnd = weighted(
  [6, oneOf("\n", "\n  ", "\n\t")],
  [1, oneOf("\r\n", "\n\n", "\n\r\n \n", " // c\n", "// é: {\n", "\n// a: 1\n\t", "//\r\n")],
);
const space = weighted([6, blank], [2, lineEnd]);
const comma = weighted(
  [4, oneOf(",", ", ")],
  [3, lineEnd],
  [2, joined(oneOf(","), lineEnd)],
  [1, joined(blank, oneOf(","), space)],
);
/** Sometimes invalid. */
const looseComma = weighted([40, comma], [1, joined(space, oneOf(",", "", ",,", ";"), space)]);

const word = oneOf("a", "b", "c", "d", "a1", "b_c", "$d", "Ab", "string", "len", "hosts", "on", "constructor");
const oddWord = oneOf(
  "_a",
  "#a",
  "_",
  "for",
  "if",
  "in",
  "let",
  "null",
  "true",
  "div",
  "package",
  "import",
  "é",
  "a-b",
  "0",
  "1",
  "a?",
  "a!",
  "__a",
  "_#a",
);
const escapeSequence = oneOf(
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\n",
  "\\r",
  "\\t",
  "\\a",
  "\\v",
  "\\u0041",
  "\\u00e9",
  "\\u0000",
  "\\u0301",
  "\\U0001F600",
  "\\ud83d\\ude00",
  "\\u2028",
  "\\u003c",
  "\\ufeff",
  "\\uffff",
);
const oddEscape = oneOf(
  "\\x41",
  "\\'",
  "\\101",
  "\\(a)",
  "\\ud83d",
  "\\ude00",
  "\\u12",
  "\\U00110000",
  "\\",
  "\n",
  "\r",
  "\u0001",
  "\u007f",
  "\0",
  "\uFEFF",
  "\\u_001",
  "\\ude00\\ud83d",
  "\\#n",
  "\\U0000d83d\\U0000de00",
);
const characters = weighted(
  [12, oneOf("a", "b", "web-1", "x y", ".", "/", "10", "30s", "//", "{", "}", "[", ",", ":", "#", "'", "$", "<&>")],
  [2, oneOf("é", "e\u0301", "ü", "→", "😀", "\u2028", "\u00a0", "ﬁ", "Å", "\u212b", "가", "\u1100\u1161", "\u00ad")],
  [3, escapeSequence],
  [1, oneOf("\t", "")],
);
const stringBody = weighted(
  [30, fc.array(characters, { maxLength: 4 }).map((parts) => parts.join(""))],
  [1, joined(characters, oddEscape, characters)],
);
const simpleString = stringBody.map((body) => `"${body}"`);
const severalLines = fc
  .tuple(
    oneOf("", "  ", "\t"),
    fc.array(weighted([8, stringBody], [1, oneOf("", "  a", '"', '""', 'a"b')]), { maxLength: 3 }),
    oneOf("", "", "", "", " ", "x"),
  )
  .map(([indentation, lines, unusual]) =>
    [
      '"""',
      ...lines.map((line, i) => (line === "" ? "" : `${i === 1 ? unusual : ""}${indentation}${line}`)),
      `${indentation}"""`,
    ].join("\n"),
  );
const odderString = oneOf(
  '#"a"#',
  "'a'",
  '""""""',
  '"',
  '""',
  '"a',
  "'''\na\n'''",
  '"""a"""',
  '#"""\na\n"""#',
  '"" ""',
);
const string = weighted([20, simpleString], [3, severalLines], [1, odderString]);

const digits = oneOf(
  "0",
  "1",
  "7",
  "10",
  "42",
  "100",
  "65535",
  "1000000",
  "1_000",
  "999999999999999",
  "123456789012345",
);
const number = weighted(
  [6, joined(oneOf("", "", "-"), digits)],
  [
    4,
    joined(
      oneOf("", "-"),
      oneOf("0", "1", "3", "12", "99"),
      oneOf(".0", ".5", ".25", ".10", ".999", ".000001", ".12345678901"),
      oneOf("", "", "e3", "E-7", "e+2", "e10", "e-30", "e99"),
    ),
  ],
  [
    1,
    oneOf(
      "1e3",
      "1E3",
      "0e5",
      "0.0",
      "0.00",
      "10e-2",
      "5e-10",
      "-0",
      "-0.0",
      "01",
      "1.",
      ".5",
      "+1",
      "1__0",
      "1_",
      "0x1f",
      "0b1",
      "0o7",
      "1K",
      "2Ki",
      "1.5M",
      "9007199254740993",
      "123456789012345678901234567890",
      "1e400",
      "0.1234567890123456789",
      "1e",
      "- 1",
      "--1",
      "1.e3",
      "0_1",
      "1_0.5",
      "0.1_1",
      "1e1_0",
    ),
  ],
);
const scalar = weighted([6, string], [4, number], [3, oneOf("true", "false", "null")]);
const oddValue = oneOf(
  "_",
  "string",
  "a",
  "{}&{}",
  "1|2",
  "*1|2",
  "(1)",
  "1+1",
  "_|_",
  "[...]",
  "{...}",
  "a.b",
  "1 & 1",
  "{for x in []{}}",
  "nul",
  "{a: 1, a: 1.0}",
  "{1}",
  "if",
  "!true",
);

const label = weighted<string>(
  [10, word],
  [
    6,
    oneOf(
      '"a"',
      '"b"',
      '"c"',
      '"a b"',
      '""',
      '"_a"',
      '"#a"',
      '"__proto__"',
      '"constructor"',
      '"10"',
      '"2"',
      '"01"',
      '"4294967295"',
      '"4294967294"',
      '"9999999999"',
      '"for"',
      '"null"',
      '"é"',
      '"toString"',
    ),
  ],
  [2, simpleString],
  [1, weighted([1, oddWord], [1, string])],
);

const { document: fields } = fc.letrec<{
  value: string;
  struct: string;
  list: string;
  fields: string;
  field: string;
  document: string;
}>((tie) => ({
  value: weighted(
    [10, scalar],
    [3, tie("struct")],
    [2, tie("list")],
    [1, weighted([1, oddValue], [12, oneOf("{}", "[]", '"x"', "1", "true")])],
  ),
  field: fc
    .tuple(
      fc.array(fc.tuple(label, blank, space), { minLength: 1, maxLength: 3 }),
      tie("value"),
      weighted([40, blank], [1, space]),
    )
    .map(
      ([labels, value, tail]) =>
        `${labels.map(([name, before, after]) => `${name}${before}:${after}`).join("")}${value}${tail.includes("\n") ? "" : tail}`,
    ),
  fields: fc
    .tuple(fc.array(fc.tuple(tie("field"), looseComma), { maxLength: 6 }), fc.boolean())
    .map(([all, open]) => all.map(([field, mark], i) => field + (i < all.length - 1 || open ? mark : "")).join("")),
  struct: joined(oneOf("{"), space, tie("fields"), space, oneOf("}")),
  list: fc
    .tuple(
      space,
      fc.array(fc.tuple(tie("value"), weighted([8, oneOf(",", ", ", ",\n\t")], [1, looseComma])), { maxLength: 4 }),
      oneOf("", "", ",", "\n", ",\n", " "),
    )
    .map(
      ([start, all, end]) =>
        `[${start}${all.map(([value, mark], i) => value + (i < all.length - 1 ? mark : "")).join("")}${end}]`,
    ),
  document: weighted(
    [8, joined(oneOf("", "", "// c\n", "\n"), tie("fields"), weighted([3, oneOf("", "\n")], [1, space]))],
    [2, joined(space, tie("struct"), oneOf("", "\n", ",", " // x"))],
    [1, joined(tie("struct"), looseComma, tie("fields"))],
  ),
}));
/** Structs with repeated fields, which test the order of fields. */
const shortLabel = oneOf("a", "b", "c", "d", "e", "f", '"7"', '"3"');
const { meeting } = fc.letrec<{ meeting: string; some: string }>((tie) => ({
  some: fc
    .array(
      fc.tuple(
        shortLabel,
        weighted(
          [3, oneOf('"x"', "true", "null", '["x", {a: "y"}]')],
          [2, tie("some").map((inner) => `{${inner}}`)],
          [2, joined(shortLabel, oneOf(": "), oneOf("true", '"x"'))],
        ),
      ),
      { maxLength: 5 },
    )
    .map((all) => all.map(([name, value]) => `${name}: ${value}`).join(", ")),
  meeting: fc
    .array(fc.tuple(oneOf("h", "i", "h: k", "a"), tie("some")), { maxLength: 6 })
    .map((all) => all.map(([name, inner]) => `${name}: {${inner}}`).join("\n")),
}));
/** Repeated fields whose values agree. */
const agreeing = fc
  .array(
    fc.tuple(
      oneOf("h", "h: k", "h: l", "i", "h: k: m"),
      fc.shuffledSubarray(["a", "b", "c", "d", "e", '"7"', '"3"', '"11"'], { maxLength: 6 }),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((all) =>
    all
      .map(
        ([path, labels, twice]) =>
          `${path}: {${[...labels, ...(twice ? labels.slice(0, 2) : [])].map((name) => `${name}: ${name === "c" ? '[{x: "1"}, {y: true}]' : '"v"'}`).join(", ")}}`,
      )
      .join("\n"),
  );
const clause = weighted(
  [8, oneOf("")],
  [2, oneOf("package p\n", "// x\npackage p\n\n", "package p // c\n", "\npackage  p\n")],
  [
    1,
    oneOf(
      "package q\n",
      "package _\n",
      "package p,",
      "package p ",
      "package\tp\r\n",
      "package\np\n",
      "package for\n",
      "package é\n",
      "package: 1\n",
      "package p",
      'import "strings"\n',
      "@if(a)\npackage p\n",
      "package $a\n",
      "package p\npackage p\n",
    ),
  ],
);

export const anyDocument: fc.Arbitrary<string> = joined(
  weighted([20, oneOf("")], [1, oneOf("\uFEFF")]),
  clause,
  weighted([3, fields], [2, agreeing], [1, meeting]),
);
export const anyFiles: fc.Arbitrary<string[]> = fc.array(
  joined(clause, weighted([1, fields], [2, agreeing], [1, agreeing.map((text) => `{${text}}`)])),
  { minLength: 1, maxLength: 12 },
);
