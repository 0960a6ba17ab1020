import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePluginOutput, withPerfdata } from "./plugin-output.ts";

const rows: [rule: string, stdout: string, output: string, longOutput: string, labels: string[]][] = [
  ["one line", "OK - fine\n", "OK - fine", "", []],
  ["data on the first line", "OK | a=1 b=2\n", "OK", "", ["a", "b"]],
  ["long text and its data", "OK|a=1\nmore\ntext | b=2\nc=3\n d=4\n", "OK", "more\ntext", ["a", "b", "c", "d"]],
  ["everything after the second | is data", "OK\nmore|a=1\nb=2 | c=3", "OK", "more", ["a", "b", "c"]],
  ["a bare | is text", "a | b\nc | d", "a | b", "c | d", []],
  ["a final | of the first line is removed", "OK |\nc", "OK", "c", []],
  ["data on the lines after a final |", "OK\nmore |\na=1\nb=2", "OK", "more", ["a", "b"]],
  ["a final | without data after it is text", "OK\nmore |\nand more", "OK", "more |\nand more", []],
  ["no output", "", "(No output returned from plugin)", "", []],
  ["blanks are not output", " \n\t\n", "(No output returned from plugin)", "", []],
  ["data without a text", "|a=1", "(No output returned from plugin)", "", ["a"]],
  ["semicolons stay", "a; b", "a; b", "", []],
  ["Windows line ends", "OK\r\nmore\r\nlines\r\n", "OK", "more\nlines", []],
  ["NUL bytes are removed", "O\0K", "OK", "", []],
  ["inner blank lines are kept", "OK\n\na\n\nb\n", "OK", "a\n\nb", []],
];
for (const [rule, stdout, output, longOutput, labels] of rows)
  test(`[PO2] ${rule}`, () => {
    const read = parsePluginOutput(stdout);
    assert.deepEqual([read.output, read.longOutput, read.perfdata.map((p) => p.label)], [output, longOutput, labels]);
  });

test("[PO4] truncation is marked at the end of the text, and a truncated number is dropped", () => {
  assert.equal(parsePluginOutput("abc", true).output, "abc…(truncated)");
  assert.equal(parsePluginOutput("abc\ndef", true).longOutput, "def…(truncated)");
  const inData = parsePluginOutput("abc | a=1 b=12", true);
  assert.deepEqual([inData.output, inData.perfdata.map((p) => p.label)], ["abc…(truncated)", ["a"]]);
  assert.deepEqual(
    parsePluginOutput("abc | a=1\nlong", true).perfdata.map((p) => p.label),
    ["a"],
  );
});

test("[PO4] at most 64 KiB are parsed", () => {
  const { output, longOutput } = parsePluginOutput("x".repeat(1_000_000));
  assert.deepEqual([output.length, longOutput], [65_536 + "…(truncated)".length, ""]);
});

test("[PO2] every text is parsed, and only performance data is removed from it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab|= \n\r1") }), (stdout) => {
      const { output, longOutput } = parsePluginOutput(stdout);
      assert.ok(output !== "" && !output.includes("\n"));
      if (!stdout.includes("|") && stdout.trim() !== "" && !stdout.includes("\r"))
        assert.equal([output, longOutput].join("\n").replace(/\s/g, ""), stdout.replace(/\s/g, ""));
    }),
  );
});

test("[PO12] of more than 1 000 points of performance data the first are kept, and the cut is marked", () => {
  const points = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=1`).join(" ");
  const all = parsePluginOutput(`OK|${points(1_000)}`);
  assert.deepEqual([all.output, all.perfdata.length], ["OK", 1_000]);
  const cut = parsePluginOutput(`OK|${points(1_001)}`);
  assert.deepEqual([cut.output, cut.perfdata.length, cut.perfdata.at(-1)?.label], ["OK…(truncated)", 1_000, "p999"]);
  const long = withPerfdata({ output: "OK", longOutput: "long" }, points(5_000));
  assert.deepEqual([long.output, long.longOutput, long.perfdata.length], ["OK", "long…(truncated)", 1_000]);
});
