import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { filesOf, read } from "./sources.ts";

/** Number of a rule: its area of two letters and its number within it. */
const ruleNumber = String.raw`[A-Z]{2}\d+`;

/** Numbers that the pages of docs/rules declare: lines that begin with a number in bold. */
const declared = filesOf("docs/rules/*.md").flatMap(declaredBy);

function declaredBy(page: string): string[] {
  const lines = new RegExp(String.raw`^- \*\*\[(${ruleNumber})\]\*\*`, "gm");
  return [...read(page).text.matchAll(lines)].map((match) => match[1] as string);
}

/** Text in which rules are quoted: a test's name or a transcript's first line. */
type Quote = { readonly where: string; readonly text: string };

const testFiles = filesOf("{shared,agent,aggregator,test}/**/*.{test,contract,soak}.{ts,tsx}").filter(
  (file) => file !== "test/architecture/rules-have-tests.test.ts",
);
const scenarioFiles = filesOf("test/{acceptance,faults}/**/*.ts").filter((file) => !testFiles.includes(file));
const quotes: readonly Quote[] = [
  ...[...testFiles, ...scenarioFiles].flatMap((where) =>
    [...testNames(read(where).text), ...bracketedTexts(read(where).text)].map((text) => ({ where, text })),
  ),
  ...filesOf("test/transcripts/*.txt").map((where) => ({ where, text: read(where).text.split("\n", 1)[0] ?? "" })),
];

/** Names of tests, suites and scenarios that a source declares with a literal. */
function testNames(text: string): string[] {
  const calls =
    /(?:^|[\s(])(?:t\.)?(?:test|suite|describe|it|rule|scenario)\(\s*(?:\/\/.*\s+)*(["'`])((?:\\.|(?!\1)[^\\])*)\1/gm;
  return [...text.matchAll(calls)].map((match) => match[2] as string);
}

/** Lists of numbers in brackets within string literals, such as in the names of a table of tests. */
function bracketedTexts(text: string): string[] {
  const literals = text.match(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g) ?? [];
  return literals.flatMap((literal) => literal.match(/\[[A-Z]{1,3}\d+(?:(?:, |-)[A-Z]{1,3}\d+)*\]/g) ?? []);
}

/** Rules that a text quotes in brackets: `[ST1]`, several `[ST1, ST2]`, or a range `[ST1-ST5]`. */
function rulesIn(text: string): string[] {
  const list = new RegExp(String.raw`\[(${ruleNumber}(?:(?:, |-)${ruleNumber})*)\]`, "g");
  return [...text.matchAll(list)].flatMap((match) => (match[1] as string).split(", ").flatMap(expandRange));
}

function expandRange(part: string): string[] {
  const [first = "", last = first] = part.split("-");
  const [area, low, high] = [first.slice(0, 2), Number(first.slice(2)), Number(last.slice(2))];
  return Array.from({ length: high - low + 1 }, (_, index) => `${area}${low + index}`);
}

/** Tokens in the form of a rule or of another numbering (`F06`, `B32`, `I3`, `2.1.12`) that docs/rules does not declare. */
function foreignNumbers(text: string): string[] {
  const bracketed = [...text.matchAll(/\[([^\]]*)\]/g)]
    .flatMap((match) => (match[1] as string).split(/, |-/))
    .filter((token) => /^[A-Z]{1,4}\d+[a-z]?$/.test(token));
  const bare = text
    .replace(/\$\{[^}]*\}/g, "")
    .match(/\b(?:[FBU]\d{2}|I\d{1,2}|REC-?\d+)\b|(?<![\d.])\d\.\d{1,2}\.\d{1,2}[a-f]?(?![\d.])/g);
  const heading = /^(?:\[[^\]]*\] )?(\d\.\d{1,2}[a-f]?)[ :,]/.exec(text)?.slice(1);
  const found = new Set([...bracketed, ...(bare ?? []), ...(heading ?? [])]);
  return [...found].filter((token) => !declared.includes(token));
}

test("no rule number is declared twice", () => {
  assert.deepEqual(
    declared.filter((rule, at) => declared.indexOf(rule) !== at),
    [],
  );
});

test("all rules of an area are declared on one page, which the index links", () => {
  const pages = filesOf("docs/rules/*.md").flatMap((page) =>
    [...new Set(declaredBy(page).map((rule) => rule.slice(0, 2)))].map((area) => ({ area, page: basename(page) })),
  );
  const index = [...read("docs/rules/README.md").text.matchAll(/^\| ([A-Z]{2}) \| \[[^\]]+\]\(([\w-]+\.md)#/gm)];
  assert.ok(pages.length > 40);
  assert.deepEqual(index.map(([, area, page]) => ({ area, page })).sort(byArea), pages.sort(byArea));
});

const byArea = (a: { area?: string | undefined }, b: { area?: string | undefined }): number =>
  (a.area ?? "").localeCompare(b.area ?? "");

test("every rule of docs/rules is quoted by a test or a transcript", () => {
  const quoted = new Set(quotes.flatMap(({ text }) => rulesIn(text)));
  assert.deepEqual(
    declared.filter((rule) => !quoted.has(rule)),
    [],
  );
});

test("every number that a test's name or a transcript's first line quotes is a rule of docs/rules", () => {
  const foreign = new Set(
    quotes.flatMap(({ where, text }) => foreignNumbers(text).map((token) => `${token} in ${where}`)),
  );
  assert.deepEqual([...foreign], []);
});

test("every transcript quotes a rule", () => {
  const without = quotes.filter(({ where, text }) => where.endsWith(".txt") && rulesIn(text).length === 0);
  assert.deepEqual(without, []);
});

test("the guard notices numbers that are not rules, in brackets, bare and in tables", () => {
  const text = `test("[ST1] F06 [I3] B32: a name", f);\nconst rows = [["[F01, XX9] a row", 1]];\ntest("2.13 numbers", f);`;
  const [first = "", second = ""] = testNames(text);
  assert.deepEqual(foreignNumbers(first), ["I3", "F06", "B32"]);
  assert.deepEqual(foreignNumbers(second), ["2.13"]);
  assert.deepEqual(bracketedTexts(text).flatMap(foreignNumbers), ["I3", "F01", "XX9"]);
  assert.deepEqual(foreignNumbers("[ST2-ST4] 2.1.12: an address 192.0.2.1 and NATS 2.10"), ["2.1.12"]);
  assert.deepEqual(rulesIn("[ST1-ST3, NO5] a range and one more"), ["ST1", "ST2", "ST3", "NO5"]);
});
