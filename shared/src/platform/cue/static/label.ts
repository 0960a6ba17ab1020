import { charCodeAt, charCodes, type StaticCursor, skipCueBlanks } from "./cursor.ts";
import { parseString, parseWord } from "./literal.ts";

/** Words that are no labels, or that are some only here and there. */
export const keywords: ReadonlySet<string> = new Set(
  "package import for in if let true false null div mod quo rem".split(" "),
);

/** Reads a label and its colon. */
export function parseLabel(c: StaticCursor): string | undefined {
  if (charCodeAt(c) !== charCodes.quote) {
    const word = parseWord(c);
    return word !== undefined && !keywords.has(word) && colonBehind(c) ? word : undefined;
  }
  if (c.text.startsWith('"""', c.at)) return undefined;
  const text = parseString(c);
  return text !== undefined && isComposed(text) && colonBehind(c) ? text : undefined;
}

/** CUE composes the characters of labels; those it would change are left to it. */
const isComposed = (label: string): boolean => isAscii.test(label) || label === label.normalize("NFC");
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/;

function colonBehind(c: StaticCursor): boolean {
  skipCueBlanks(c);
  if (charCodeAt(c) !== charCodes.colon) return false;
  c.at += 1;
  return true;
}
