import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentPath } from "../../../text/document-path.ts";
import { loadCueCommand } from "../engine/command.ts";
import { type CueSources, prepareSources } from "../source/cue-sources.ts";
import type { CueFile } from "../source/source-position.ts";
import { explainErrors } from "./explain.ts";
import { type LocateTarget, locateValues, nearestPosition } from "./locate.ts";
import { runProbes, structContradiction } from "./probe.ts";
import { repairSources } from "./repair.ts";

// Replaces globals of this process, so no other test may run in it.
const cue = await loadCueCommand(2 ** 30);

function sourcesOf(...texts: string[]): CueSources {
  const joined = prepareSources(texts.map((text, i): CueFile => ({ name: `${i}.cue`, text })));
  assert.ok(joined.ok);
  return joined.value;
}
async function evaluated(on: CueSources): Promise<unknown> {
  const { stdout, stderr } = await cue(["export", ...on.texts.keys()], on.texts);
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

const source = `let P = "mp"
#T: {per: P, k: "a"}
h: x: period: P
h: y: #T
for n in ["a", "b"] {
  g: "\\(n)": {k: n, l: ["u", n], z: "v\\(n)", s: {}}
}
g: [string]: q: *"d" | string
s: h.y.k
h: "ä": {
  foo: [1, {b: 3}, P]
}
`;
const value = (...path: DocumentPath): LocateTarget => ({ path, at: "value" });
const struct = (...path: DocumentPath): LocateTarget => ({ path, at: "struct" });
const targetTable: readonly [target: LocateTarget, position: string, why: string][] = [
  [value("h", "x", "period"), "1:9", "a let"],
  [value("h", "y", "per"), "1:9", "a let in a definition"],
  [value("h", "y", "k"), "2:17", "a definition"],
  [value("g", "a", "k"), "5:11", "a comprehension's source"],
  [value("g", "b", "k"), "5:16", "a comprehension's source"],
  [value("g", "a", "l", 0), "6:25", "a list in a comprehension"],
  [value("g", "a", "l", 1), "5:11", "a list in a comprehension"],
  [value("g", "b", "z"), "6:37", "an interpolation"],
  [value("g", "b", "q"), "8:18", "a pattern's default"],
  [value("s"), "9:4", "a reference to a definition's field"],
  [struct("g", "a"), "6:14", "a struct of a comprehension"],
  [struct("g", "a", "s"), "6:49", "a struct within it"],
  [struct("h", "x"), "3:7", "a struct of chained labels"],
  [struct("h", "y"), "2:5", "a struct from a definition"],
  [value("h", "ä", "foo", 0), "11:9", "a literal element"],
  [value("h", "ä", "foo", 1, "b"), "11:16", "a field of an element"],
  [value("h", "ä", "foo", 2), "1:9", "an element that is a reference"],
  [struct("h", "ä", "foo", 1), "11:12", "an element that is a struct"],
  [struct(), "1:1", "the root"],
  [value("h", "nope"), "3:4", "no value: the enclosing struct"],
];
test("values are located at their sources", async () => {
  const on = sourcesOf(source);
  const targets = targetTable.map(([each]) => each);
  const found = await locateValues(async () => cue, on, { document: await evaluated(on), targets });
  const formatted = found.map(({ line, column }, i) => `${targetTable[i]?.[2]} ${line}:${column}`);
  assert.deepEqual(
    formatted,
    targetTable.map(([, position, why]) => `${why} ${position}`),
  );
});

test("positions read from the source equal those that CUE reports", async () => {
  const on = sourcesOf('a: {b: "x", c: [1, {d: true}]}\na: e: f: -1.5\n"g h": {\n\ti: #"y"#\n}\nj: {\n\tk: 1\n}\n');
  const paths: DocumentPath[] = [
    ["a", "b"],
    ["a", "c", 0],
    ["a", "c", 1, "d"],
    ["a", "e", "f"],
    ["g h", "i"],
    ["j", "k"],
  ];
  const probed = await runProbes(
    cue,
    on,
    paths.map((path) => ({ path, contradiction: structContradiction })),
  );
  for (const [i, path] of paths.entries()) assert.deepEqual([nearestPosition(on, path)], probed[i], String(path));
});

const errorTable: readonly [name: string, source: string, problems: readonly string[]][] = [
  ["a conflict stands at the later literal", "a: 1\nb: 2\na: 3", ["3:4 a: conflicting values 3 and 1"]],
  ["a field that a definition does not know", "#D: {k: int}\nc: #D & {k: 1, z: 2}", ["2:19 c: field z not allowed"]],
  [
    "alternatives are one problem",
    'q: "x" | "y"\nq: "z"',
    ['2:4 q: no alternative fits: conflicting values "x" and "z"; conflicting values "y" and "z"'],
  ],
  ["a bound", "m: >3\nm: 2", ["2:4 m: invalid value 2 (out of bound >3)"]],
  [
    "incomplete values are located by probes",
    "a: string\n#D: {k: int}\nd: #D\nl: [1, string]",
    ["1:4 a: incomplete value string", "2:9 d.k: incomplete value int", "4:8 l.1: incomplete value string"],
  ],
  ["a structural cycle", "c: {d: c}", ["1:8 c.d: structural cycle"]],
  ["syntax errors", 'a: {\n c: }\n d: "x\n', ["2:5 expected operand, found '}'", "3:5 string literal not terminated"]],
  ["unknown names", "a: nope\nb: [also]", ['1:4 a: reference "nope" not found', '2:5 b: reference "also" not found']],
  ["labels that need quotes", '"x.y": 1\n"x.y": 2', ['2:8 "x.y": conflicting values 2 and 1']],
];
for (const [name, text, problems] of errorTable)
  test(`explain: ${name}`, async () => {
    const found = await explainErrors(cue, sourcesOf(text), "");
    assert.deepEqual(
      found.map(({ message, position }) => `${position.line}:${position.column} ${message}`),
      problems,
    );
  });

test("columns count characters; lines are those of the original file", async () => {
  const on = sourcesOf("// é→\na: 1\n", '"é→𝄞": {b: 1 & 2}\n');
  const [problem] = await explainErrors(cue, on, "");
  assert.deepEqual(problem?.position, { file: 1, line: 1, column: 12 });
});

test("a repaired document evaluates and keeps its positions", async () => {
  const text = 'a: 1\na: 2\nb: nope.x\n#D: {k: int}\nc: #D & {k: 1, z: {\n\ty: 1\n}}\nd: string\ne: "kept"\n';
  let on = sourcesOf(text);
  for (let round = 0; round < 4; round += 1) {
    const found = await explainErrors(cue, on, "");
    const files = repairSources(on, found);
    if (found.length === 0 || files === undefined) break;
    on = sourcesOf(...files.map((file) => file.text));
  }
  assert.deepEqual(await evaluated(on), { a: 1, b: null, c: { k: 1 }, d: "", e: "kept" });
  assert.equal(on.files[0]?.text.length, text.length);
  assert.deepEqual(nearestPosition(on, ["e"]), { file: 0, line: 9, column: 4 });
});

test("files of different packages are rejected", () => {
  const joined = prepareSources([
    { name: "a", text: "package a\n" },
    { name: "b", text: "// b\n\npackage b // package c\n" },
  ]);
  assert.ok(!joined.ok);
  assert.deepEqual(joined.error.position, { file: 1, line: 3, column: 1 });
});
