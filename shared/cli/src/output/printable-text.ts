/** Control characters and characters that reorder or hide text: check output must not control the terminal. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;
const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Text on one line that is safe to print. */
export const printableText = (text: string): string => text.replace(unprintable, " ").trim();

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
