import { crc32 } from "node:zlib";

type KeyPart = string | number | null;

/** Checksum of a row: CRC-32 of its key and its text, so that damage to either is detected. */
export const rowCrc = (text: string, ...key: readonly KeyPart[]): number => crc32(`${key.join("\n")}\n${text}`);

/** True when a row matches its checksum. */
export const isRowIntact = (crc: unknown, text: string, ...key: readonly KeyPart[]): boolean =>
  crc === rowCrc(text, ...key);

/** Returns the JSON of a row. Throws when it is damaged. */
export function intactJson(row: Readonly<Record<string, unknown>>, key: unknown, what: string): string {
  const json = String(row["json"]);
  if (!isRowIntact(row["crc"], json, String(key))) throw new Error(`${what} is damaged`);
  return json;
}
