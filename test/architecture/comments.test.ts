import assert from "node:assert/strict";
import { test } from "node:test";
import { allSources, read } from "./sources.ts";

/** Highest share of docblocks that may begin with a relative clause or use an indefinite person: one in a thousand. */
const maxShare = 0.001;

const relativeStart = /^(?:What|Whether|Which|Whoever|Who|Whose|Whom|Where|When|Why|How|Of|That|Those)\b/;
const indefinitePerson = /\b(?:nobody|no one|whoever|whom|somebody|someone|anybody|anyone)\b/i;

type Docblock = { readonly where: string; readonly text: string };

/** Docblocks of a source: their text without stars, tags of rules (`[ST1]`) and line breaks. */
function docblocksOf(file: string, text: string): Docblock[] {
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map((match) => ({
    where: `${file}:${text.slice(0, match.index).split("\n").length}`,
    text: (match[1] as string)
      .replace(/^\s*\* ?/gm, "")
      .replace(/\s+/g, " ")
      .trim()
      .replace(/^\[[A-Z0-9, -]+\]\s*/, ""),
  }));
}

const docblocks = allSources().flatMap((file) => docblocksOf(file, read(file).text));

function assertRare(pattern: RegExp): void {
  const found = docblocks.filter(({ text }) => pattern.test(text));
  const shown = found.map(({ where, text }) => `${where}: ${text.slice(0, 80)}`).join("\n");
  assert.ok(found.length <= docblocks.length * maxShare, `${found.length} of ${docblocks.length}:\n${shown}`);
}

test("docblocks begin with a noun or a verb", () => assertRare(relativeStart));

test("docblocks name the recipient, the caller or the reader instead of an indefinite person", () =>
  assertRare(indefinitePerson));

test("the guard reads docblocks of one line and of several, with and without a rule number", () => {
  const text = "/** [ST1, ST2] Whether it is so. */\nconst a = 1;\n/**\n * Sends it.\n * Twice.\n */\nconst b = 2;\n";
  assert.deepEqual(docblocksOf("a.ts", text), [
    { where: "a.ts:1", text: "Whether it is so." },
    { where: "a.ts:3", text: "Sends it. Twice." },
  ]);
});
