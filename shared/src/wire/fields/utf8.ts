const encoder = new TextEncoder();

/** Length in bytes of UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length;

/** The longest beginning of `text` that fits into `bytes` of UTF-8 without splitting a character. */
export function truncateUtf8(text: string, bytes: number): string {
  if (bytes <= 0) return "";
  if (text.length * 3 <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}
