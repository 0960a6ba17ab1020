import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStatic } from "./parse-static.ts";

// test/config/static.test.ts compares the results with those of CUE.
const parse = (...texts: string[]): string | undefined =>
  JSON.stringify(parseStatic(texts.map((text, i) => ({ name: `${i}.cue`, text }))));

const staticDocuments: readonly [why: string, text: string, json: string][] = [
  ["an empty document", "", "{}"],
  ["a field", 'a: "x"', '{"a":"x"}'],
  ["a chain of labels", "a: b: c: true\n", '{"a":{"b":{"c":true}}}'],
  ["commas and lines", "a: 1, b: 2\nc: {d: 3\ne: 4,}\n", '{"a":1,"b":2,"c":{"d":3,"e":4}}'],
  ["lists", "a: [1, [], {b: 2},\n\t3,\n]\nb: [\n1\n]", '{"a":[1,[],{"b":2},3],"b":[1]}'],
  ["comments", "// x: 1\na: // y\n 1 // z: {\n//", '{"a":1}'],
  ["JSON", '{"a": {"b": [1, -2.5e3, null]}}\n', '{"a":{"b":[1,-2500,null]}}'],
  ["a package clause, a byte order mark and CRLF", "\uFEFF// c\r\npackage p\r\na: 1\r\n", '{"a":1}'],
  [
    "escapes",
    String.raw`a: "\"\\\/\b\f\n\r\t\a\v\u00e9\U0001F600\ud83d\ude00"`,
    '{"a":"\\"\\\\/\\b\\f\\n\\r\\t\\u0007\\u000bé😀😀"}',
  ],
  ["several lines", 'a: """\n\tx\n\n\t  "y"\n\t"""', '{"a":"x\\n\\n  \\"y\\""}'],
  ["an empty string of several lines", 'a: """\n\t"""', '{"a":""}'],
  ["numbers", "a: 1_000, b: -7, c: 1.50, d: 0, e: 1e-7", '{"a":1000,"b":-7,"c":1.5,"d":0,"e":1e-7}'],
  [
    "labels that are properties of every object",
    '"__proto__": a: 1\nconstructor: toString: 2',
    '{"__proto__":{"a":1},"constructor":{"toString":2}}',
  ],
  ["labels that look hidden", '"_a": 1, "#b": 2, "": 3', '{"_a":1,"#b":2,"":3}'],
  [
    "repeated fields",
    'a: b: "x"\na: {c: [{d: true}], b: "x"}\na: c: [{e: null}]',
    '{"a":{"c":[{"d":true,"e":null}],"b":"x"}}',
  ],
  [
    "the order of repeated fields",
    'a: {x: "1", y: "2"}\na: {p: "3", q: "4"}',
    '{"a":{"x":"1","p":"3","y":"2","q":"4"}}',
  ],
];
for (const [why, text, json] of staticDocuments)
  test(`parsed without CUE: ${why}`, () => assert.equal(parse(text), json));

const otherDocuments: readonly [why: string, ...texts: string[]][] = [
  ["a reference", "a: 1\nb: a"],
  ["a definition, a hidden field", "#a: {}", "_a: 1"],
  ["an optional and a required field", "a?: 1", "a!: 1"],
  [
    "types, operators, defaults, alternatives",
    "a: string",
    "a: 1 + 1",
    "a: *1 | 2",
    'a: {} & {b: "x"}',
    "a: >1",
    "a: +1",
  ],
  ["interpolation, raw strings, bytes", 'a: "\\(b)"', 'a: #"x"#', "a: 'x'"],
  [
    "comprehensions, patterns, ellipses, lets",
    "a: [for x in [] {x}]",
    "a: [string]: 1",
    "a: {...}",
    "a: [...]",
    "let a = 1",
  ],
  ["imports and attributes", 'import "strings"', "a: 1 @x(y)", "@if(x)"],
  ["an embedded value", "{a: 1}\nb: 2", "a: {{b: 1}}", "1", "[1]"],
  ["conflicting values", 'a: "x"\na: "y"', "a: 1\na: {}", 'a: ["x"]\na: ["x", "y"]'],
  ["repeated numbers, which may be of different types", "a: 1\na: 1.0"],
  ["numbers that a double cannot represent", "a: 9007199254740993", "a: 0.12345678901234567", "a: 1e400"],
  ["numbers in other notations", "a: 0x10", "a: 1K", "a: 01", "a: 1.", "a: .5", "a: -0", "a: 1__0"],
  [
    "missing and surplus commas",
    "a: 1 b: 2",
    "a: 1,, b: 2",
    "a: [1\n2]",
    "a: [,]",
    ",",
    "a: {b: 1} c: 2",
    "a: 1\n, b: 2",
  ],
  ["a line break before the colon", "a\n: 1", '"a"\n: 1'],
  ["unclosed brackets and strings", "a: {", "a: [", 'a: "x', 'a: "x\n"', 'a: """\n x', "a: 1}", "a:"],
  ["unpaired surrogates", 'a: "\\ud83d"', 'a: "\ud83d"', 'a: "\\ude00\\ud83d"'],
  [
    "characters that CUE rejects or changes",
    'a: "\0"',
    'a: "\uFEFF"',
    'a: "\u0001"',
    'a: "\\x41"',
    '"e\u0301": 1',
    "é: 1",
  ],
  ["keywords as labels", "if: 1", "null: 1", "let: 1", "package: 1"],
  ["package clauses of no name", "package", "package 1\n", "package\np\n", "package for\n", "package p, a: 1"],
  ["deep nesting", `a: ${"[".repeat(300)}${"]".repeat(300)}`, `${"a: ".repeat(300)}1`, "{".repeat(100_000)],
];
for (const [why, ...texts] of otherDocuments)
  test(`left to CUE: ${why}`, () =>
    assert.deepEqual(
      texts.map((text) => parse(text) ?? "left to CUE"),
      texts.map(() => "left to CUE"),
    ));

test("several static files are one document", () => {
  assert.equal(parse('a: b: "x"', "package p\na: c: 1", '{"d": 2}'), '{"a":{"b":"x","c":1},"d":2}');
  assert.equal(parse('a: b: "x"', 'a: b: "y"'), undefined);
  assert.equal(parse("a: 1", "b: c"), undefined);
});

test("the result has own fields only", () => {
  const document = parseStatic([{ name: "x.cue", text: '"__proto__": {polluted: true}\n"__proto__": more: true' }]);
  assert.deepEqual(Object.keys(document as object), ["__proto__"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.equal(Object.getPrototypeOf(document), Object.prototype);
});

test("time is linear in the number of repetitions of a label", () => {
  const text = Array.from({ length: 50_000 }, (_, i) => `hosts: h${i}: {a: "x"}\nhosts: h${i}: b: "y"`).join("\n");
  const { hosts } = parseStatic([{ name: "x.cue", text }]) as { hosts: Record<string, unknown> };
  assert.equal(Object.keys(hosts).length, 50_000);
  assert.deepEqual(Object.entries(hosts)[49_999], ["h49999", { a: "x", b: "y" }]);
});
