import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitWords } from "./shell-words.ts";

const rows: [rule: string, line: string, words: string[]][] = [
  ["blanks separate words", "  a\tb \n c ", ["a", "b", "c"]],
  ["quotes keep blanks", `a 'b c' "d e"`, ["a", "b c", "d e"]],
  ["quoted and unquoted parts form one word", `a'b c'"d"e`, ["ab cde"]],
  ["an empty pair of quotes is a word", `a '' ""`, ["a", "", ""]],
  ["a backslash escapes a blank", String.raw`a\ b`, ["a b"]],
  ["a backslash in single quotes is text", String.raw`'a\b'`, [String.raw`a\b`]],
  ["a backslash in double quotes escapes few characters", String.raw`"a\"b\\c\d"`, [String.raw`a"b\c\d`]],
  ["an escaped dollar sign is doubled", String.raw`\$HOSTNAME$ "\$x"`, ["$$HOSTNAME$", "$$x"]],
  ["macros are unchanged", `$USER1$/check -H '$HOSTADDRESS$' $$`, ["$USER1$/check", "-H", "$HOSTADDRESS$", "$$"]],
  ["operators are text", "a|b ; c > d & `e` $(f) *", ["a|b", ";", "c", ">", "d", "&", "`e`", "$(f)", "*"]],
  ["a hash is text", "a # b", ["a", "#", "b"]],
  ["a continued line", "a\\\nb", ["ab"]],
];
for (const [rule, line, words] of rows)
  test(`[PO6] ${rule}`, () => assert.deepEqual(splitWords(line), { ok: true, value: words }));

for (const [line, why] of [
  ["", "has no word"],
  [" \n", "has no word"],
  ["a 'b", "has an open ' at character 3"],
  ['a "b', 'has an open " at character 3'],
  ['"a\\"', 'has an open " at character 1'],
  ["a \\", "ends in a backslash"],
] as const)
  test(`${JSON.stringify(line)} ${why}`, () => assert.deepEqual(splitWords(line), { ok: false, error: why }));

test("[PO6] quoted texts are returned unchanged", () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (words) => {
      assert.deepEqual(splitWords(words.map(quoted).join(" ")), { ok: true, value: words });
    }),
  );
});
