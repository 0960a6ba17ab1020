import type { Refusal } from "../model/refusal.ts";

/** Maximum size of the free text of one command, UTF-8 bytes. */
const maxTextBytes = 65_536;

/** Size of texts together, UTF-8 bytes. */
export const textBytes = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/**
 * [PT12] Refusal of a command whose free text, author included, has so many bytes; undefined within the limit.
 *
 * @param field field of the request with the text; `author` where the command has no other text
 */
export function refuseLongText(field: "author" | "comment" | "text", bytes: number): Refusal | undefined {
  if (bytes <= maxTextBytes) return undefined;
  const counted = field === "author" ? "" : " with the author";
  return { kind: "exhausted", what: `${field}: has ${bytes} bytes${counted}; at most ${maxTextBytes} are allowed` };
}
