import { createHash } from "node:crypto";

/** What the first record of a chain follows. */
const genesis: Uint8Array = new Uint8Array(32);

/** A place in the chain: a record's number, from 1, and its hash. */
export type Link = { readonly seq: number; readonly hash: Uint8Array };

export const beginning: Link = { seq: 0, hash: genesis };

/** The hash of a record covers its number, its content and the hash before it: SHA-256, 32 bytes. */
export function auditHash(previous: Uint8Array, seq: number, json: string): Uint8Array {
  return createHash("sha256").update(previous).update(`${seq}\n${json}`).digest();
}

/** A link as the journal's table of single values holds it; what is none is the beginning. */
export function readLink(text: unknown): Link {
  const parts = /^(\d{1,16}) ([0-9a-f]{64})$/.exec(String(text));
  return parts === null ? beginning : { seq: Number(parts[1]), hash: Buffer.from(parts[2] ?? "", "hex") };
}

export const showLink = ({ seq, hash }: Link): string => `${seq} ${Buffer.from(hash).toString("hex")}`;

/** Whether a value that was read is a hash: damage may have made it anything. */
export const isHash = (found: unknown, hash: Uint8Array): boolean =>
  found instanceof Uint8Array && Buffer.compare(found, hash) === 0;
