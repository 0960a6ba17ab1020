/** Control characters and the terminal sequences that they begin: colours, cursor movements, titles. */
const controlCharacters = /(?![\n\t])\p{Cc}(?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:\p{Cc}\\?)?)?/gu;
/** Format characters such as changes of the writing direction; joiners count as letters. */
const formatCharacters = /(?![\u200c\u200d])\p{Cf}/gu;

/**
 * [DL11] Removes terminal sequences, control characters, changes of the writing direction and lone surrogates, and
 * truncates to `maxLength` characters.
 */
export function sanitiseText(text: string, maxLength: number): string {
  const clean = text
    .slice(0, maxLength * 4)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(controlCharacters, "")
    .replace(formatCharacters, "");
  return truncate(clean, maxLength);
}

/** Sanitises a text and joins it into one line. */
export const sanitiseLine = (text: string, maxLength: number): string =>
  truncate(
    sanitiseText(text, maxLength * 2)
      .replace(/\s+/g, " ")
      .trim(),
    maxLength,
  );

/** Truncates to `maxLength` UTF-16 units; `…` replaces the rest. */
export const truncate = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;

/** [DL12] Escapes a text for an HTML page or for an attribute in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** [DL12] Makes mentions such as `@all` ineffective by an invisible character between the sign and the name. */
export const neutraliseMentions = (text: string): string => text.replace(/@(?=[\p{L}\p{N}_])/gu, "@\u200b");
