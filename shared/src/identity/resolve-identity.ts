import { fail, ok, type Result } from "../model/result.ts";
import type { Identity } from "../model/role.ts";
import type { AuthPlan } from "./auth-document.ts";
import { digestToken, parseBearerToken } from "./bearer-token.ts";
import { sessionCookies } from "./session-cookie.ts";
import type { Sessions } from "./sessions.ts";

/** Resolves an `Authorization` header to an identity; undefined when the credentials have no identity. */
type ResolveIdentity = (authorization: string | null | undefined) => Identity | undefined;

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

/** Headers that carry credentials. */
type CredentialHeaders = Pick<Headers, "get">;

/** Identity of a caller, undefined without valid credentials; or why the credentials are ambiguous. */
export type ResolvedCaller = Result<Identity | undefined, string>;

/**
 * [AT7] Resolves the credentials of a call, a bearer token or the cookie of a session, to an identity of the auth
 * document; its role is the document's. Ambiguous credentials are an error: several session cookies, or a token and a
 * session of different identities.
 */
export function callerResolver(
  plan: AuthPlan,
  sessions: Pick<Sessions, "find">,
): (headers: CredentialHeaders) => Promise<ResolvedCaller> {
  const byToken = identityResolver(plan);
  const users = new Map(
    plan.identities.flatMap(({ name, role, credential }) =>
      credential.kind === "password" ? [[name, Object.freeze({ name, role })] as const] : [],
    ),
  );
  return async (headers) => {
    const service = byToken(headers.get("authorization"));
    const [cookie, ...more] = sessionCookies(headers.get("cookie"));
    if (cookie === undefined) return ok(service);
    if (more.length > 0) return fail("more than one session cookie");
    const session = await sessions.find(cookie);
    const user = session && users.get(session.name);
    if (service !== undefined && user !== undefined && service.name !== user.name)
      return fail(`two identities: cookie of ${user.name}, token of ${service.name}`);
    return ok(service ?? user);
  };
}
