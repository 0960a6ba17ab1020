import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, isTest, read } from "./sources.ts";

/** A rule in the law book: a line that begins with its number in bold. */
const declared = [...read("docs/rules.md").text.matchAll(/^- \*\*\[([A-Z]{2,3}\d+)\]\*\*/gm)].map(
  (match) => match[1] as string,
);

/** Numbers that tests quote: `[ST1]`, several `[ST1, ST2]`, or a span `[ST1-ST5]`. */
const quoted = new Map<string, string>();
for (const file of filesOf("{shared,agent,aggregator,test,charts}/**/*.ts").filter((name) => isTest(name)))
  for (const [, list] of read(file).text.matchAll(/\[([A-Z]{2,3}\d+(?:(?:, |-)[A-Z]{2,3}\d+)*)\]/g))
    for (const rule of spell(list as string)) quoted.set(rule, file);

function spell(list: string): string[] {
  return list.split(", ").flatMap((part) => {
    const [first = "", last] = part.split("-");
    const [area, low] = [first.replace(/\d+/, ""), Number(first.replace(/\D+/, ""))];
    const high = last === undefined ? low : Number(last.replace(/\D+/, ""));
    return Array.from({ length: high - low + 1 }, (_, index) => `${area}${low + index}`);
  });
}

test("no rule number is given twice", () => {
  assert.deepEqual(
    declared.filter((rule, at) => declared.indexOf(rule) !== at),
    [],
  );
});

test("every rule of docs/rules.md is quoted by a test", () => {
  assert.deepEqual(
    declared.filter((rule) => !quoted.has(rule)),
    [],
  );
});

test("every rule that a test quotes is in docs/rules.md", () => {
  const unknown = [...quoted]
    .filter(([rule]) => !declared.includes(rule))
    .map(([rule, file]) => `[${rule}] in ${file}`);
  assert.deepEqual(unknown, []);
});
