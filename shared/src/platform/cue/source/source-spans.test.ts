import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pathKey } from "../../../text/document-path.ts";
import { lineIndex } from "./source-position.ts";
import { findSpans } from "./source-spans.ts";
import { tokensOf } from "./tokens.ts";

/** All spans as `path line:column kind` in source order. */
function formatted(source: string): string[] {
  const at = lineIndex(source);
  const spans = [...findSpans(source)].flatMap(([key, list]) => list.map((span) => ({ key, ...span })));
  return spans
    .sort((a, b) => a.start - b.start || a.key.length - b.key.length)
    .map(({ key, kind, start: offset }) => `${key} ${at(offset).line}:${at(offset).column} ${kind}`);
}

const tables: readonly [name: string, source: string, spans: readonly string[]][] = [
  ["a field", 'a: "x"', ['["a"] 1:4 literal']],
  ["a chain of labels", "a: b: c: 1", ['["a"] 1:4 struct', '["a","b"] 1:7 struct', '["a","b","c"] 1:10 literal']],
  ["quoted labels", '"a b": "c\\"d": true', ['["a b"] 1:8 struct', '["a b","c\\"d"] 1:16 literal']],
  ["a struct with a definition", "a: #B & {c: 1}", ['["a"] 1:4 struct', '["a","c"] 1:13 literal']],
  [
    "a list",
    'a: [1, {b: 2}, "x"]',
    [
      '["a"] 1:4 expression',
      '["a",0] 1:5 literal',
      '["a",1] 1:8 struct',
      '["a",1,"b"] 1:12 literal',
      '["a",2] 1:16 literal',
    ],
  ],
  ["nothing below patterns and computed labels", 'a: [string]: b: 1\n("x"): c: 2\n"i\\(1)": 3', ['["a"] 1:4 struct']],
  ["nothing below definitions and lets", "#A: {b: 1}\nlet X = {c: 1}\nd: 1", ['["d"] 3:4 literal']],
  [
    "fields of a comprehension's struct",
    "if x {a: 1}\nfor k, v in y if v.z {b: 2}",
    ['["a"] 1:10 literal', '["b"] 2:26 literal'],
  ],
  ["comments and strings that look like fields", '// a: 1\nb: "c: 2" // d: 3\n', ['["b"] 2:4 literal']],
  [
    "interpolation with braces and quotes",
    'a: "\\( {x: "}"}.x )"\nb: 1',
    ['["a"] 1:4 expression', '["b"] 2:4 literal'],
  ],
  ["a raw string", 'a: #"\\("# \nb: 1', ['["a"] 1:4 literal', '["b"] 2:4 literal']],
  ["a string of several lines", 'a: """\n\tb: 1\n\t"""\nc: 2', ['["a"] 1:4 expression', '["c"] 4:4 literal']],
  ["an expression over two lines", "a: 1 +\n\t2\nb: 3", ['["a"] 1:4 expression', '["b"] 3:4 literal']],
  ["a call and an index", "a: f(x, {b: 1})[0].c\nd: 1", ['["a"] 1:4 expression', '["d"] 2:4 literal']],
  ["imports, package, attributes", 'package p\nimport (\n\t"x"\n)\na: 1 @go(b: 2)\n@x()\n', ['["a"] 5:4 expression']],
  [
    "an optional field and an alias",
    "X=a?: 1\nb: Y=c: 2",
    ['["a"] 1:7 literal', '["b"] 2:4 struct', '["b","c"] 2:9 literal'],
  ],
  ["a list with a comprehension", "a: [for x in y {x}, {b: 1}]", ['["a"] 1:4 expression']],
];
for (const [name, source, spans] of tables) test(`spans of ${name}`, () => assert.deepEqual(formatted(source), spans));

test("a span ends at the end of its value", () => {
  const source = "a: {\n\tb: 1\n} // c\nd: [1]";
  const end = (path: string): string | undefined => {
    const span = findSpans(source).get(pathKey([path]))?.[0];
    return span && source.slice(span.labelStart, span.end);
  };
  assert.equal(end("a"), "a: {\n\tb: 1\n}");
  assert.equal(end("d"), "d: [1]");
});

test("any text is tokenized to its end, valid or not", () => {
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    "\n",
    '"',
    '"""',
    "\\(",
    "#",
    "a",
    "for",
    "if",
    "let",
    "...",
    "&",
    "1",
    " ",
    "//",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      const source = parts.join("");
      findSpans(source);
      assert.equal(tokensOf(source).at(-1)?.kind, "end");
    }),
    { numRuns: 2000 },
  );
});

test("deep nesting does not overflow the stack", () => {
  for (const piece of ["a: {", "a: ", "a: [", "a: (", "if x {", "{"]) findSpans(piece.repeat(20_000));
  assert.ok(findSpans(`${"a: {".repeat(1_000)}${"}".repeat(1_000)}\nb: 1`).has(pathKey(["b"])));
});
