import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "../platform/flags/secret.ts";

/** Longer ones are refused unread, characters. */
const maxTokenLength = 4_096;

/** The token of an `Authorization: Bearer TOKEN` header; undefined where it holds none. */
export function parseBearerToken(authorization: string | null | undefined): string | undefined {
  if (authorization == null || authorization.length > maxTokenLength) return undefined;
  return /^Bearer ([!-~]+)$/.exec(authorization)?.[1];
}

/** Lower-case hex of the SHA-256 of a token. */
export const digestToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * Tells whether a header carries this very token. Digests are compared, in constant time: neither how much of the
 * token was right nor its length can be timed.
 */
export function bearerMatcher(token: Secret): (authorization: string | null | undefined) => boolean {
  const wanted = createHash("sha256").update(token.reveal()).digest();
  return (authorization) => {
    const given = parseBearerToken(authorization);
    return given !== undefined && timingSafeEqual(createHash("sha256").update(given).digest(), wanted);
  };
}
