import assert from "node:assert/strict";
import { test } from "node:test";
import { filterEntries } from "./palette-entries.ts";

const entries = ["Problems", "All objects", "Overdue", "Copy the link to this page"].map((label) => ({
  id: label,
  group: "Pages" as const,
  label,
  run: () => undefined,
}));
const found = (text: string): string[] => filterEntries(entries, text).map(({ label }) => label);

test("without a text all entries are found", () => assert.equal(found(" ").length, 4));
test("an entry has every typed word", () => assert.deepEqual(found("LINK copy"), ["Copy the link to this page"]));
test("entries with a word that begins with the text come first", () =>
  assert.deepEqual(found("o"), ["All objects", "Overdue", "Problems", "Copy the link to this page"]));
