import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diffLines, formatHunk, hunksOf } from "./line-diff.ts";

const show = (before: string, after: string): string =>
  diffLines(before.split(""), after.split(""))
    .map(({ kind, text }) => (kind === "same" ? text : `${kind === "removed" ? "-" : "+"}${text}`))
    .join("");

test("common lines stay, other lines are removed or added", () => {
  assert.equal(show("abc", "abc"), "abc");
  assert.equal(show("", "ab"), "+a+b");
  assert.equal(show("ab", ""), "-a-b");
  assert.equal(show("abcd", "abxd"), "ab-c+xd");
  assert.equal(show("aabb", "abab"), "a-ab+ab");
});

test("unique lines keep a moved block together", () => {
  assert.equal(show("1{}2{}3{}", "1{}3{}"), "1{}-2-{-}3{}");
});

const lines = fc.array(fc.constantFrom("a", "b", "c", "{", "}", ""), { maxLength: 40 });

test("both texts can be reconstructed from a comparison", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      const without = (side: "removed" | "added") => diff.filter(({ kind }) => kind !== side).map(({ text }) => text);
      assert.deepEqual([without("added"), without("removed")], [before, after]);
    }),
  );
});

test("hunks have context and line numbers as in diff -u", () => {
  const before = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const after = before.with(4, "five").toSpliced(20, 1);
  const shown = hunksOf(diffLines(before, after), 2).map(formatHunk);
  assert.deepEqual(shown, [
    ["@@ -3,5 +3,5 @@", " line 3", " line 4", "-line 5", "+five", " line 6", " line 7"],
    ["@@ -19,5 +19,4 @@", " line 19", " line 20", "-line 21", " line 22", " line 23"],
  ]);
  assert.deepEqual(hunksOf(diffLines(before, before), 3), []);
  assert.deepEqual(hunksOf(diffLines([], ["x"]), 3).map(formatHunk), [["@@ -0,0 +1,1 @@", "+x"]]);
});

test("60 000 lines are compared without a quadratic table", () => {
  const before = Array.from({ length: 60_000 }, (_, at) => `host ${at}`);
  const after = before.flatMap((text, at) => (at % 7 === 0 ? [`${text} changed`] : [text]));
  const diff = diffLines(before, after);
  assert.equal(diff.filter(({ kind }) => kind === "same").length, 60_000 - Math.ceil(60_000 / 7));
});
