/** Control characters, with the terminal sequence that one may begin: colours, cursor movements, titles. */
const control = /(?![\n\t])\p{Cc}(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:\p{Cc}\\?)?)?/gu;
/** Format characters, such as those that turn the direction of writing; joiners are letters. */
const format = /(?![\u200c\u200d])\p{Cf}/gu;

/**
 * [DL11] `text` without what acts instead of being seen: terminal sequences, control characters, changes of writing
 * direction, broken surrogates. At most `maxLength` characters.
 */
export function sanitiseText(text: string, maxLength: number): string {
  const clean = text
    .slice(0, maxLength * 4)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(control, "")
    .replace(format, "");
  return truncate(clean, maxLength);
}

/** The same on one line. */
export const sanitiseLine = (text: string, maxLength: number): string =>
  truncate(
    sanitiseText(text, maxLength * 2)
      .replace(/\s+/g, " ")
      .trim(),
    maxLength,
  );

/** At most `maxLength` characters (UTF-16 units), with `…` in place of what is left out. */
export const truncate = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;

/** [DL12] As text of an HTML page or of an attribute in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
