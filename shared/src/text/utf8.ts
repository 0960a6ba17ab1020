const encoder = new TextEncoder();

/** Length of the text in UTF-8, bytes. */
export const utf8Length = (text: string): number => encoder.encode(text).length;

/** Returns the longest prefix of `text` of at most `bytes` in UTF-8, without splitting a character. */
export function truncateUtf8(text: string, bytes: number): string {
  if (bytes <= 0) return "";
  if (text.length * 3 <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}
