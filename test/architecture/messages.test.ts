import assert from "node:assert/strict";
import { test } from "node:test";
import { allSources, isTest, read, withoutComments } from "./sources.ts";

/** "x is no y" and "x is none of y", instead of "x is not a y", "x must be a y" or "x is out of range". */
const negationByNo = /(?<!there )\b(?:is|are) (?:no (?!longer\b|more\b|such\b)\w|none\b)/i;

/** Texts of a source that a user may read: literals with a space, and the text of elements. */
function textsOf(file: string, source: string): string[] {
  const literals = withoutComments(source).match(/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[>}][^<>{}"`]+[<{]/g) ?? [];
  return literals.filter((text) => negationByNo.test(text)).map((text) => `${file}: ${text.slice(0, 90)}`);
}

const products = allSources().filter((file) => /^(shared|agent|aggregator)\//.test(file) && !isTest(file));

test("a message says what a value is not, must be or which range it has, without `is no` and `is none`", () => {
  assert.ok(products.length > 500);
  assert.deepEqual(
    products.filter((file) => !/\.fixture\./.test(file)).flatMap((file) => textsOf(file, read(file).text)),
    [],
  );
});

test("the guard notices both negations, and accepts that something does not exist", () => {
  const found = [
    '"x is no duration"',
    '"the code 9 is none from 0 to 3"',
    '"names are none of these"',
    "<p>{x} is no duration</p>",
  ];
  const accepted = ['"there is no such file"', '"x is no longer configured"', '"x is not a duration"'];
  assert.equal(textsOf("a.ts", [...found, ...accepted].join("\n")).length, 4);
});
