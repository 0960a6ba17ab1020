import { createHash } from "node:crypto";

/** What the first record of a chain follows. */
const genesis: Uint8Array = new Uint8Array(32);

/** A place in the chain: a record's number, from 1, and its hash. */
export type ChainLink = { readonly seq: number; readonly hash: Uint8Array };

export const chainStart: ChainLink = { seq: 0, hash: genesis };

/** The hash of a record covers its number, its content and the hash before it: SHA-256, 32 bytes. */
export function auditHash(previous: Uint8Array, seq: number, json: string): Uint8Array {
  return createHash("sha256").update(previous).update(`${seq}\n${json}`).digest();
}

/** A link as the journal's table of single values holds it; what is none is the beginning. */
export function parseChainLink(text: unknown): ChainLink {
  const parts = /^(\d{1,16}) ([0-9a-f]{64})$/.exec(String(text));
  return parts === null ? chainStart : { seq: Number(parts[1]), hash: Buffer.from(parts[2] ?? "", "hex") };
}

export const formatChainLink = ({ seq, hash }: ChainLink): string => `${seq} ${Buffer.from(hash).toString("hex")}`;

/** Whether a value that was read is a hash: damage may have made it anything. */
export const equalsHash = (found: unknown, hash: Uint8Array): boolean =>
  found instanceof Uint8Array && Buffer.compare(found, hash) === 0;
