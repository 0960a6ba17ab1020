import { fail, ok, type Result } from "../../model/result.ts";

/** Piece of a line: blanks, a quoted text, an escaped character or other characters. */
const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/sy;

/** Converts `\$` to `$$`, because macros are expanded in the words later. */
const unescaped = (character: string): string => (character === "$" ? "$$" : character === "\n" ? "" : character);

const inDoubleQuotes = (text: string): string =>
  text.replace(/\\(["\\$`\n])/g, (_, character: string) => unescaped(character));

/**
 * Splits a command line into words at blanks, with the quoting of a shell ('…', "…" and backslash). Operators, globs,
 * variables and comments are ordinary text. Macros are kept and expanded afterwards, so that a value cannot add words;
 * `\$` becomes `$$`. Fails with a phrase for an unclosed quote, a final backslash or a line without words.
 */
export function splitWords(line: string): Result<string[], string> {
  const words: string[] = [];
  let word: string | undefined;
  piece.lastIndex = 0;
  while (piece.lastIndex < line.length) {
    const at = piece.lastIndex;
    const found = piece.exec(line);
    if (found === null) return fail(leftOpen(line, at));
    const [, blanks, single, double, escaped, plain] = found;
    if (blanks === undefined) {
      const text = single ?? plain ?? (double === undefined ? unescaped(escaped ?? "") : inDoubleQuotes(double));
      word = (word ?? "") + text;
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? fail("has no word") : ok(words);
}

function leftOpen(line: string, at: number): string {
  return line[at] === "\\" ? "ends in a backslash" : `has an open ${line[at]} at character ${at + 1}`;
}

/** Quotes a word for a command line that a reader may copy into a shell. */
export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
