import { createHash, randomBytes } from "node:crypto";

const identityPattern = /^realmwatch-stream ([0-9a-f]{32})$/;
const descriptionOf = (identity: string): string => `realmwatch-stream ${identity}`;

/** Returns the description of a stream that is created now: it has a random identity. */
export const newStreamDescription = (): string => descriptionOf(randomBytes(16).toString("hex"));

/**
 * Returns the description for a stream that exists without an identity. It follows from the time at which the stream was
 * created, so that several aggregators that set it at the same time set the same.
 */
export const derivedStreamDescription = (createdAt: string): string =>
  descriptionOf(createHash("sha256").update(createdAt).digest("hex").slice(0, 32));

/** Identity in the description of a stream; undefined when it has none. */
export const parseStreamIdentity = (description: unknown): string | undefined =>
  typeof description === "string" ? identityPattern.exec(description)?.[1] : undefined;
