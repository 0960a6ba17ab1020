import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePerfdata } from "./parse-perfdata.ts";

const formatted = (text: string): string[] =>
  parsePerfdata(text).map(
    (p) => `${p.label}=${p.value ?? "U"}${p.uom};${p.warn};${p.crit};${p.min ?? ""};${p.max ?? ""}`,
  );

const rows: [rule: string, text: string, points: string[]][] = [
  ["a full item", "time=0.5s;1;2;0;10", ["time=0.5s;1;2;0;10"]],
  ["trailing semicolons are optional", "a=1;;;; b=2; c=3", ["a=1;;;;", "b=2;;;;", "c=3;;;;"]],
  ["a quoted label may contain blanks", "'a b'=1;2;3 'c'=4", ["a b=1;2;3;;", "c=4;;;;"]],
  ["two quotes are an escaped quote", "'it''s'=1", ["it's=1;;;;"]],
  ["a quoted label may contain =", "'a=b'=1 c=2", ["a=b=1;;;;", "c=2;;;;"]],
  ["U has no value", "a=U;1;2 b=Us", ["a=U;1;2;;"]],
  [
    "scientific values keep their unit",
    "a=1e10GB b=+1.E-1EW c=.5 d=1EB",
    ["a=10000000000GB;;;;", "b=0.1EW;;;;", "c=0.5;;;;", "d=1EB;;;;"],
  ],
  ["a decimal comma invalidates that item only", "a=1,5 b=2", ["b=2;;;;"]],
  ["inf, nan, hex and overflow are not numbers", "a=inf b=nan c=0x1F d=1e309 e=--1 f=1.2.3 g= h=1", ["h=1;;;;"]],
  ["valid ranges are kept, invalid ones removed", "a=1;10:20;@~:5 b=1;1,5;x", ["a=1;10:20;@~:5;;", "b=1;;;;"]],
  ["the infinite range of check_snmp is valid", "a=-42;@-50:~;~", ["a=-42;@-50:;;;"]],
  [
    "a | in the text invalidates that item only",
    "b=2]|time=0.1s;1 | c=3|d=4",
    ["time=0.1s;1;;;", "c=3;;;;", "d=4;;;;"],
  ],
  ["bounds are numbers", "a=5%;80;90;0;100 b=1;;;x;1B", ["a=5%;80;90;0;100", "b=1;;;;"]],
  [
    "unknown units are kept",
    "a=1qps b=2°C c=3c d=4C e=5B/s",
    ["a=1qps;;;;", "b=2°C;;;;", "c=3c;;;;", "d=4C;;;;", "e=5B/s;;;;"],
  ],
  [
    "check_multi's prefix is inherited",
    "a::b::c=1 d=2 x::y=3 z=4",
    ["a::b::c=1;;;;", "a::b::d=2;;;;", "x::y=3;;;;", "x::z=4;;;;"],
  ],
  ["words without = are skipped", "some words a=1 more b=2 |", ["a=1;;;;", "b=2;;;;"]],
  ["an unclosed quote invalidates its word", "'open a=1 b=2", ["a=1;;;;", "b=2;;;;"]],
  ["an empty label is invalid", "''=1 =2 a=3", ["a=3;;;;"]],
  ["a second = invalidates the value", "a=b=1 c=2", ["c=2;;;;"]],
  ["labels may repeat", "a=1 a=2", ["a=1;;;;", "a=2;;;;"]],
];
for (const [rule, text, points] of rows) test(`[PO3] ${rule}`, () => assert.deepEqual(formatted(text), points));

test("[PO3] a label has no characters that control or disguise text", () =>
  assert.deepEqual(formatted("'a\u0000b'=1 a\u001b[31mb=2 'a\u009bb'=3 a\u202eb\u2066\u200bc=4 'a\tb'=5 \u0007=6"), [
    "a\ufffdb=1;;;;",
    "a\ufffd[31mb=2;;;;",
    "a\ufffdb=3;;;;",
    "a\ufffdb\ufffdc=4;;;;",
    "a\ufffdb=5;;;;",
    "\ufffd=6;;;;",
  ]));

const label = fc.string({ minLength: 1 }).filter((text) => !text.includes("::"));
const good = fc.tuple(
  label,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom("", "s", "ms", "%", "KB"),
);

test("[PO3] valid items are parsed whatever is between them", () => {
  const junk = fc.stringMatching(/^[a-z;,|"0-9]*$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(good, junk)), (items) => {
      const text = items.map(([[name, value, uom], bad]) => `'${name.replaceAll("'", "''")}'=${value}${uom} ${bad}`);
      const read = parsePerfdata(text.join(" ")).map((p) => [p.label, p.value, p.uom]);
      assert.deepEqual(
        read,
        items.map(([[name, value, uom]]) => [name, value + 0, uom]),
      );
    }),
  );
});

test("[PO3] every text is parsed, and every value is a number", () => {
  const text = fc.string({ unit: fc.constantFrom(..."ab'=;:| 1.e-,U@~\t"), maxLength: 200 });
  fc.assert(
    fc.property(text, (any) => {
      for (const point of parsePerfdata(any)) assert.ok(point.label !== "" && Number.isFinite(point.value ?? 0));
    }),
    { numRuns: 2_000 },
  );
});

test("a hostile text of 1 MB takes linear time", () => {
  for (const unit of [
    "'",
    "''",
    "' ",
    "'' ",
    "a",
    "a ",
    "=",
    "a=",
    "'a''",
    "1=1;",
    " ",
    "'a=1 ",
    "::",
    "'''' ",
    "a='1 ",
  ])
    parsePerfdata(unit.repeat(1_048_576 / unit.length));
  assert.equal(parsePerfdata("a=1 ".repeat(65_536)).length, 65_536);
});
