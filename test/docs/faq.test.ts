import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, isTest, read } from "../architecture/sources.ts";

const sources = filesOf("{agent,aggregator,shared}/src/**/*.ts")
  .concat(filesOf("shared/cli/src/**/*.ts"))
  .filter((file) => !isTest(file))
  .map((file) => read(file).text)
  .join("\n");

/** Phrases of a message that are the same in each: without placeholders, quoted names and numbers. */
const phrasesOf = (message: string): string[] =>
  message
    .split(/ ?-[a-z-]+|\w+\.\w+|\b[A-Z][A-Z:]*\b|"|:|;|,|\(|\)|`/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase.split(" ").length > 2);

test("each error text that docs/faq.md explains is one that the programs print", () => {
  const headings = [...read("docs/faq.md").text.matchAll(/^### (.+)$/gm)].map(([, text]) => text as string);
  assert.ok(headings.length >= 30);
  const unknown = headings.flatMap((heading) => phrasesOf(heading).filter((phrase) => !sources.includes(phrase)));
  assert.deepEqual(unknown, []);
});
