const characters = String.raw`\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}`;

/** Control characters, and characters that reorder, hide or part text: text from outside must not control a terminal. */
const unprintable = new RegExp(`[${characters}]+`, "gu");
/** The same without tabs and the ends of lines. */
const unprintableInLines = new RegExp(`(?!\t|\n|\r\n)[${characters}]`, "gu");

const escapeUnits = (found: string): string =>
  found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Replaces unprintable characters by escapes such as `\u202e`, which are the same text in a string of JSON. Tabs and the
 * ends of lines stay.
 */
export const escapeUnprintable = (text: string): string => text.replace(unprintableInLines, escapeUnits);

/** Replaces all unprintable characters by escapes, also tabs and the ends of lines. */
export const escapeToOneLine = (text: string): string => text.replace(unprintable, escapeUnits);

/** Replaces each stretch of unprintable characters, also of tabs and the ends of lines. */
export const replaceUnprintable = (text: string, by: string): string => text.replace(unprintable, by);
