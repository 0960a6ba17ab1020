import { crc32 } from "node:zlib";

type Key = string | number | null;

/** What a row's `crc` holds: CRC-32 of its key and its text, so that a row shows damage to either. */
export const rowCrc = (text: string, ...key: readonly Key[]): number => crc32(`${key.join("\n")}\n${text}`);

/** Whether a row is what was written. Up to version 2 of the tables `crc` was of the text alone. */
export const isRowIntact = (crc: unknown, text: string, ...key: readonly Key[]): boolean =>
  crc === rowCrc(text, ...key) || crc === crc32(text);
