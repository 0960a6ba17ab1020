import type { Identity } from "../model/role.ts";
import type { AuthPlan } from "./auth-document.ts";
import { digestToken, parseBearerToken } from "./bearer-token.ts";

/** Resolves an `Authorization` header to an identity; undefined when there is none. */
export type ResolveIdentity = (authorization: string | null | undefined) => Identity | undefined;

/**
 * Resolves identities by the digest of the token. The time of such a lookup reveals nothing about valid tokens, because
 * callers cannot choose the digest of a token.
 */
export function identityResolver(plan: AuthPlan): ResolveIdentity {
  const byDigest = new Map(
    plan.identities.flatMap(({ name, role, credential }) =>
      credential.kind === "token" ? [[credential.digest, Object.freeze({ name, role })] as const] : [],
    ),
  );
  return (authorization) => {
    const token = parseBearerToken(authorization);
    return token === undefined ? undefined : byDigest.get(digestToken(token));
  };
}
