import { createHash } from "node:crypto";

/** Previous hash of the first record of a chain: 32 zero bytes. */
const genesis: Uint8Array = new Uint8Array(32);

/** Position in the chain: a record's sequence number, from 1, and its hash. */
export type ChainLink = { readonly seq: number; readonly hash: Uint8Array };

/** Position before the first record. */
export const chainStart: ChainLink = { seq: 0, hash: genesis };

/** Computes the SHA-256 hash (32 bytes) of a record over the previous hash, its sequence number and its content. */
export function auditHash(previous: Uint8Array, seq: number, json: string): Uint8Array {
  return createHash("sha256").update(previous).update(`${seq}\n${json}`).digest();
}

/** Parses a link as the `meta` table stores it; `chainStart` when the text is not a link. */
export function parseChainLink(text: unknown): ChainLink {
  const parts = /^(\d{1,16}) ([0-9a-f]{64})$/.exec(String(text));
  return parts === null ? chainStart : { seq: Number(parts[1]), hash: Buffer.from(parts[2] ?? "", "hex") };
}

/** Formats a link for the `meta` table: `<seq> <hash in hex>`. */
export const formatChainLink = ({ seq, hash }: ChainLink): string => `${seq} ${Buffer.from(hash).toString("hex")}`;

/** True when a stored value equals `hash`. Damage may have changed the value's type. */
export const equalsHash = (found: unknown, hash: Uint8Array): boolean =>
  found instanceof Uint8Array && Buffer.compare(found, hash) === 0;
