import type { RevokedSessions } from "./revoked-sessions.ts";
import { formatSessionCookie } from "./session-cookie.ts";
import type { Session, sessionTokens } from "./session-token.ts";

/** Sessions of users, kept in cookies; the server stores only those that ended early. */
export type Sessions = ReturnType<typeof openSessions>;

type SessionTransport = {
  /** True when the request came by https, so that the cookie may not be sent in clear. */
  readonly https: boolean;
};

type SessionsOptions = {
  readonly tokens: ReturnType<typeof sessionTokens>;
  readonly revoked: RevokedSessions;
  /** Lifetime of a session, ms. */
  readonly ttlMs: number;
  /** True when the dashboard is always served by https. */
  readonly secure: boolean;
};

export function openSessions({ tokens, revoked, ttlMs, secure }: SessionsOptions) {
  async function find(cookie: string): Promise<Session | undefined> {
    const session = await tokens.verify(cookie);
    return session === undefined || revoked.has(session) ? undefined : session;
  }

  return {
    /** Returns the session of a cookie's value; undefined when it is invalid, has ended or was revoked. */
    find,
    /** Begins a session. @returns the `Set-Cookie` header */
    async begin(name: string, { https }: SessionTransport): Promise<string> {
      const { token } = await tokens.issue(name);
      return formatSessionCookie(token, { maxAgeMs: ttlMs, secure: secure || https });
    },
    /** Revokes the sessions of the cookies that are valid. @returns the `Set-Cookie` header that deletes the cookie */
    async end(cookies: readonly string[], { https }: SessionTransport): Promise<string> {
      for (const cookie of cookies) {
        const session = await find(cookie);
        if (session !== undefined) await revoked.add(session);
      }
      return formatSessionCookie("", { maxAgeMs: 0, secure: secure || https });
    },
  };
}
