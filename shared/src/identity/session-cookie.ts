/** Name of the cookie that holds a session's token. */
const cookieName = "svc_session";

/** Values of all session cookies of a `Cookie` header, in order; a browser sends several when paths or domains differ. */
export function sessionCookies(cookieHeader: string | null | undefined): string[] {
  if (cookieHeader == null || !cookieHeader.includes(cookieName)) return [];
  return cookieHeader.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at >= 0 && pair.slice(0, at).trim() === cookieName ? [pair.slice(at + 1).trim()] : [];
  });
}

type SessionCookieOptions = {
  /** Lifetime, ms; rounded down to seconds. */
  readonly maxAgeMs: number;
  /** True when the dashboard is served by https, so that browsers never send the cookie in clear. */
  readonly secure: boolean;
};

/**
 * `Set-Cookie` header of a session. Scripts cannot read the cookie, and other sites' forms and scripts cannot send it.
 *
 * @param token empty to delete the cookie
 */
export function formatSessionCookie(token: string, { maxAgeMs, secure }: SessionCookieOptions): string {
  const seconds = token === "" ? 0 : Math.floor(maxAgeMs / 1_000);
  return `${cookieName}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}
