import { escapeUnprintable, replaceUnprintable } from "@realmwatch/shared/text/unprintable";

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Text on one line that is safe to print. */
export const printableText = (text: string): string => replaceUnprintable(text, " ").trim();

/** Colours of `paint`, and text between them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours begin with this character
const painted = /(\u001b\[(?:1|22|3[1-6]|39|90)m)/;

/**
 * [TX1] Output as it is written to stdout or stderr: unprintable characters of the text are escapes.
 *
 * @param colours true where the output has colours, which stay
 */
export const escapeOutput = (text: string, colours: boolean): string =>
  colours
    ? text
        .split(painted)
        .map((part, at) => (at % 2 === 1 ? part : escapeUnprintable(part)))
        .join("")
    : escapeUnprintable(text);

/** Number of terminal columns that a printable text takes. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Cuts a printable text to `width` columns (at least 1); a cut text ends in `…`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    cut += segment;
  }
  return `${cut}…`;
}
