import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ok, type Result } from "../model/result.ts";
import type { Secret } from "../platform/flags/secret.ts";
import { openRevokedSessions, type RevocationExchange } from "./revoked-sessions.ts";
import { formatSessionCookie } from "./session-cookie.ts";
import { type Session, type SessionTokenOptions, sessionTokens } from "./session-token.ts";

/** Sessions of users, kept in cookies; the server stores only those that ended early. */
export type Sessions = {
  /** Begins a session. @returns the `Set-Cookie` header */
  begin(name: string, options: SessionTransport): Promise<string>;
  /** Returns the session of a cookie's value; undefined when it is invalid, has ended or was revoked. */
  find(cookie: string): Promise<Session | undefined>;
  /** Revokes the sessions of the cookies that are valid. @returns the `Set-Cookie` header that deletes the cookie */
  end(cookies: readonly string[], options: SessionTransport): Promise<string>;
};

type SessionTransport = {
  /** True when the request came by https, so that the cookie may not be sent in clear. */
  readonly https: boolean;
};

type SessionsOptions = Pick<SessionTokenOptions, "audience" | "ttlMs" | "clock"> & {
  /** Key of the signatures; undefined for `processKey`. */
  readonly secret: Secret | undefined;
  /** Key of the signatures of this process, so that sessions outlive a thread. Default: a random one. */
  readonly processKey?: Uint8Array | undefined;
  /** True when the dashboard is always served by https. */
  readonly secure: boolean;
  /** Directory in which revocations survive a restart. */
  readonly dataDir: string;
  /** Exchange of revocations with other replicas, which is used only with a `secret`, as replicas share sessions then. */
  readonly exchange?: RevocationExchange | undefined;
  /** Called with the system's error code when a revocation could not be written. */
  onWriteFailed(code: string): void;
};

/** Opens the sessions of a program. @returns an error of one line when the revoked sessions cannot be read */
export async function openSessions(options: SessionsOptions): Promise<Result<Sessions, string>> {
  const { secret, processKey, audience, ttlMs, clock, secure, dataDir, exchange, onWriteFailed } = options;
  const path = secret === undefined && processKey === undefined ? undefined : join(dataDir, "revoked-sessions.jsonl");
  const opened = await openRevokedSessions({ path, ttlMs, clock, exchange, onWriteFailed });
  if (!opened.ok) return opened;
  const revoked = opened.value;
  const key = secret === undefined ? (processKey ?? randomBytes(32)) : Buffer.from(secret.reveal());
  const tokens = sessionTokens({ secret: key, audience, ttlMs, clock });

  async function find(cookie: string): Promise<Session | undefined> {
    const session = await tokens.verify(cookie);
    return session === undefined || revoked.has(session) ? undefined : session;
  }

  return ok({
    find,
    async begin(name, { https }) {
      const { token } = await tokens.issue(name);
      return formatSessionCookie(token, { maxAgeMs: ttlMs, secure: secure || https });
    },
    async end(cookies, { https }) {
      for (const cookie of cookies) {
        const session = await find(cookie);
        if (session !== undefined) await revoked.add(session);
      }
      return formatSessionCookie("", { maxAgeMs: 0, secure: secure || https });
    },
  });
}
