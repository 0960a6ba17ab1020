import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { ConnectRouter } from "@connectrpc/connect";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import type { AuthPlan } from "../../identity/auth-document.ts";
import { bearerMatcher } from "../../identity/bearer-token.ts";
import { PasswordLogins } from "../../identity/password-logins.ts";
import { callerResolver } from "../../identity/resolve-identity.ts";
import { openRevokedSessions, type RevocationExchange } from "../../identity/revoked-sessions.ts";
import { sessionTokens } from "../../identity/session-token.ts";
import { openSessions, type Sessions } from "../../identity/sessions.ts";
import type { Clock } from "../../model/clock.ts";
import { ok, type Result } from "../../model/result.ts";
import type { Log } from "../../platform/log/log.ts";
import type { ProgramFlags } from "../program-flags.ts";
import { authService } from "./auth-service.ts";
import type { AccessPolicy } from "./require-role.ts";

export type AuthenticationOptions = {
  readonly flags: Pick<ProgramFlags, "publicUrl" | "dataDir" | "sessionSecret" | "sessionTtl">;
  /** The program and its realm; sessions of another one are not accepted, even with the same secret. */
  readonly audience: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Compiled auth document; undefined when none is configured. */
  readonly auth: AuthPlan | undefined;
  /** Key of sessions without `-session-secret`. Default: a random one. */
  readonly processKey?: Uint8Array | undefined;
  /** Exchange of ended sessions with other replicas of the program; undefined when it has none. */
  readonly revocations?: RevocationExchange | undefined;
};

/** Identities of a program with the sessions of its users. */
type Authentication = { readonly plan: AuthPlan; readonly sessions: Sessions };

/** Opens the sessions of a program with identities; undefined for one without. Fails with an error of one line. */
export async function openAuthentication(
  options: AuthenticationOptions,
): Promise<Result<Authentication | undefined, string>> {
  const { auth: plan, flags, audience, clock, log } = options;
  if (plan === undefined) return ok(undefined);
  if (flags.sessionSecret === undefined && plan.identities.some(({ credential }) => credential.kind === "password"))
    log.warn("sessions end with this process: its -session-secret is random");
  const { sessionSecret, sessionTtl: ttlMs, dataDir, publicUrl } = flags;
  const secret = sessionSecret === undefined ? options.processKey : Buffer.from(sessionSecret.reveal());
  const revoked = await openRevokedSessions({
    ...{ ttlMs, clock, exchange: options.revocations },
    path: secret === undefined ? undefined : join(dataDir, "revoked-sessions.jsonl"),
    onWriteFailed: (code) => log.error({ code }, "a logout could not be written: a restart would forget it"),
  });
  if (!revoked.ok) return revoked;
  const tokens = sessionTokens({ secret: secret ?? randomBytes(32), audience, ttlMs, clock });
  const secure = publicUrl?.startsWith("https:") ?? false;
  return ok({ plan, sessions: openSessions({ tokens, revoked: revoked.value, ttlMs, secure }) });
}

/** Access policy that follows from the identities and the token. */
export function accessOf(
  authentication: Authentication | undefined,
  { apiToken, publicUrl }: Pick<ProgramFlags, "apiToken" | "publicUrl">,
): AccessPolicy {
  if (authentication === undefined)
    return apiToken === undefined ? { kind: "open" } : { kind: "token", matches: bearerMatcher(apiToken) };
  return { kind: "identities", identify: callerResolver(authentication.plan, authentication.sessions), publicUrl };
}

/** Registers AuthService, which is served only where identities are declared. */
export function mountAuthService(router: ConnectRouter, { plan, sessions }: Authentication, clock: Clock): void {
  router.service(AuthService, authService({ logins: new PasswordLogins(plan, clock), sessions }));
}
