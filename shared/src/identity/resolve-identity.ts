import type { Identity } from "../model/role.ts";
import type { AuthPlan } from "./auth-document.ts";
import { digestToken, parseBearerToken } from "./bearer-token.ts";

/** Names the caller by an `Authorization` header; undefined where it resolves to nobody. */
export type ResolveIdentity = (authorization: string | null | undefined) => Identity | undefined;

/**
 * Looks the digest of the given token up among the identities' own. A lookup by digest says nothing about tokens by
 * its time: who cannot choose the digest cannot come closer to one step by step.
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
