import { type Cursor, code, skipBlanks, unit } from "./cursor.ts";
import { stringAt, wordAt } from "./literal.ts";

/** Words that are no labels, or that are some only here and there. */
export const keywords: ReadonlySet<string> = new Set(
  "package import for in if let true false null div mod quo rem".split(" "),
);

/** Reads a label and its colon. */
export function labelAt(c: Cursor): string | undefined {
  if (unit(c) !== code.quote) {
    const word = wordAt(c);
    return word !== undefined && !keywords.has(word) && colonBehind(c) ? word : undefined;
  }
  if (c.text.startsWith('"""', c.at)) return undefined;
  const text = stringAt(c);
  return text !== undefined && isComposed(text) && colonBehind(c) ? text : undefined;
}

/** CUE composes the characters of labels; those it would change are left to it. */
const isComposed = (label: string): boolean => isAscii.test(label) || label === label.normalize("NFC");
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/;

function colonBehind(c: Cursor): boolean {
  skipBlanks(c);
  if (unit(c) !== code.colon) return false;
  c.at += 1;
  return true;
}
