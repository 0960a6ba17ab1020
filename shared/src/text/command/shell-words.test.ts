import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitWords } from "./shell-words.ts";

const rows: [rule: string, line: string, words: string[]][] = [
  ["blanks separate", "  a\tb \n c ", ["a", "b", "c"]],
  ["quotes join", `a 'b c' "d e"`, ["a", "b c", "d e"]],
  ["quotes glue to their neighbours", `a'b c'"d"e`, ["ab cde"]],
  ["an empty pair is a word", `a '' ""`, ["a", "", ""]],
  ["a backslash shields a blank", String.raw`a\ b`, ["a b"]],
  ["a backslash in single quotes is text", String.raw`'a\b'`, [String.raw`a\b`]],
  ["a backslash in double quotes shields few", String.raw`"a\"b\\c\d"`, [String.raw`a"b\c\d`]],
  ["an escaped dollar is a macro's dollar", String.raw`\$HOSTNAME$ "\$x"`, ["$$HOSTNAME$", "$$x"]],
  ["macros stay as they are", `$USER1$/check -H '$HOSTADDRESS$' $$`, ["$USER1$/check", "-H", "$HOSTADDRESS$", "$$"]],
  ["operators are text", "a|b ; c > d & `e` $(f) *", ["a|b", ";", "c", ">", "d", "&", "`e`", "$(f)", "*"]],
  ["a hash is text", "a # b", ["a", "#", "b"]],
  ["a continued line", "a\\\nb", ["ab"]],
];
for (const [rule, line, words] of rows)
  test(`2.16 ${rule}`, () => assert.deepEqual(splitWords(line), { ok: true, value: words }));

for (const [line, why] of [
  ["", "has no word"],
  [" \n", "has no word"],
  ["a 'b", "has an open ' at character 3"],
  ['a "b', 'has an open " at character 3'],
  ['"a\\"', 'has an open " at character 1'],
  ["a \\", "ends in a backslash"],
] as const)
  test(`2.16 ${JSON.stringify(line)} ${why}`, () => assert.deepEqual(splitWords(line), { ok: false, error: why }));

test("2.16 what is quoted comes back whole", () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (words) => {
      assert.deepEqual(splitWords(words.map(quoted).join(" ")), { ok: true, value: words });
    }),
  );
});
