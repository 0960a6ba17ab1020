import type { Refusal } from "../model/refusal.ts";

/** Maximum size of the free text of one command, UTF-8 bytes. */
const maxTextBytes = 65_536;

/** Size of texts together, UTF-8 bytes. */
export const textBytes = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** [PT12] Refusal of a command whose free text, author included, has so many bytes; undefined within the limit. */
export const refuseLongText = (bytes: number): Refusal | undefined =>
  bytes > maxTextBytes
    ? { kind: "exhausted", what: `author and comment are larger than ${maxTextBytes} bytes together` }
    : undefined;
