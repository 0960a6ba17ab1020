import { charCodeAt, charCodes, type StaticCursor, skipCueBlanks } from "./cursor.ts";
import { parseString, parseWord } from "./literal.ts";

/** Words that CUE does not accept as labels, or only in some contexts. */
export const keywords: ReadonlySet<string> = new Set(
  "package import for in if let true false null div mod quo rem".split(" "),
);

/** Parses a label and its colon; undefined for anything else. */
export function parseLabel(c: StaticCursor): string | undefined {
  if (charCodeAt(c) !== charCodes.quote) {
    const word = parseWord(c);
    return word !== undefined && !keywords.has(word) && colonBehind(c) ? word : undefined;
  }
  if (c.text.startsWith('"""', c.at)) return undefined;
  const text = parseString(c);
  return text !== undefined && isComposed(text) && colonBehind(c) ? text : undefined;
}

/** True for a label in Unicode NFC. CUE normalizes labels, so other labels are left to it. */
const isComposed = (label: string): boolean => isAscii.test(label) || label === label.normalize("NFC");
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const isAscii = /^[\x00-\x7f]*$/;

function colonBehind(c: StaticCursor): boolean {
  skipCueBlanks(c);
  if (charCodeAt(c) !== charCodes.colon) return false;
  c.at += 1;
  return true;
}
