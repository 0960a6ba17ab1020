import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "../platform/flags/secret.ts";

/** Maximum length of the header, characters; a longer one is refused without parsing. */
const maxTokenLength = 4_096;

/** Parses the token of an `Authorization: Bearer TOKEN` header; undefined when it has none. */
export function parseBearerToken(authorization: string | null | undefined): string | undefined {
  if (authorization == null || authorization.length > maxTokenLength) return undefined;
  return /^Bearer ([!-~]+)$/.exec(authorization)?.[1];
}

/** SHA-256 of a token in lower-case hex. */
export const digestToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** True for a header with the token of this digest, which is compared in constant time. */
export function bearerHasDigest(authorization: string | null | undefined, digest: string): boolean {
  const given = parseBearerToken(authorization);
  if (given === undefined) return false;
  return timingSafeEqual(Buffer.from(digestToken(given)), Buffer.from(digest.padEnd(64).slice(0, 64)));
}

/**
 * Returns a function that is true for a header with exactly this token. It compares digests in constant time, so
 * response times reveal neither the token's length nor a partial match.
 */
export function bearerMatcher(token: Secret): (authorization: string | null | undefined) => boolean {
  const digest = digestToken(token.reveal());
  return (authorization) => bearerHasDigest(authorization, digest);
}
