import { hash } from "node:crypto";

/** Number of hex digits of a digest: 64 bits. */
const hexDigits = 16;

/**
 * Digest term of one row: the first 8 bytes, big endian, of SHA-1 of `<kind>.<key>@<epoch>.<revision>`. The exclusive-or
 * of the terms of all live rows is a realm's digest, 0 for no row; agent and aggregator compare it.
 *
 * @param objectToken kind and key of the object as in its NATS subject, for example `service.d2ViMQ.aHR0cA`
 */
export const rowDigestTerm = (objectToken: string, epoch: number, revision: number): bigint =>
  BigInt(`0x${hash("sha1", `${objectToken}@${epoch}.${revision}`, "hex").slice(0, hexDigits)}`);
