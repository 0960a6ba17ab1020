import { randomBytes } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Clock } from "../model/clock.ts";

/** Session of a user who has logged in. Roles are not part of it: they are those of the auth document. */
export type Session = {
  /** Random id of 128 bits. */
  readonly id: string;
  /** Name of the identity. */
  readonly name: string;
  /** Start of the session, Unix ms, in whole seconds. */
  readonly issuedMs: number;
  /** End of the session, Unix ms, in whole seconds. */
  readonly expiresMs: number;
};

export type SessionTokenOptions = {
  /** Key of the signatures, at least 32 bytes. */
  readonly secret: Uint8Array;
  /** The program and realm that tokens are valid for; one secret may serve several programs. */
  readonly audience: string;
  /** Lifetime of a session, ms. */
  readonly ttlMs: number;
  readonly clock: Clock;
};

const algorithm = "HS256";
const issuer = "realmwatch";
/** Maximum length of a token, characters. The longest name, of 255 characters of 4 bytes each, gives about 1 700. */
const maxTokenLength = 4_096;
/** Three parts of base64url; the library tolerates other characters between them. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Time by which the clock may have been set back since a session began, ms. */
const maxSkewMs = 60_000;
/** Number of verified tokens that are kept, because a verification takes about 0.2 ms. */
const maxVerified = 1_000;

/** Signs and verifies the tokens of sessions: JWTs with algorithm HS256. */
export function sessionTokens({ secret, audience, ttlMs, clock }: SessionTokenOptions) {
  const verified = new Map<string, Session>();

  function isCurrent({ issuedMs, expiresMs }: Session): boolean {
    const nowMs = clock.now();
    // The age is checked too: a shorter `-session-ttl` holds for sessions that began before.
    return nowMs < expiresMs && nowMs - issuedMs < ttlMs && issuedMs - nowMs <= maxSkewMs;
  }

  return {
    async issue(name: string): Promise<{ readonly session: Session; readonly token: string }> {
      const issuedSec = Math.floor(clock.now() / 1_000);
      const expiresSec = issuedSec + Math.max(1, Math.floor(ttlMs / 1_000));
      const id = randomBytes(16).toString("base64url");
      const token = await new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(name)
        .setJti(id)
        .setIssuedAt(issuedSec)
        .setExpirationTime(expiresSec)
        .sign(secret);
      return { token, session: { id, name, issuedMs: issuedSec * 1_000, expiresMs: expiresSec * 1_000 } };
    },
    /** Returns the session of a valid, unexpired token; undefined for every other text. */
    async verify(token: string): Promise<Session | undefined> {
      if (token.length > maxTokenLength || !compactForm.test(token)) return undefined;
      const session = verified.get(token) ?? (await decode(token, { secret, audience, clock }));
      if (session === undefined || !isCurrent(session)) return undefined;
      if (verified.size >= maxVerified) verified.clear();
      verified.set(token, session);
      return session;
    },
  };
}

async function decode(
  token: string,
  { secret, audience, clock }: Pick<SessionTokenOptions, "secret" | "audience" | "clock">,
): Promise<Session | undefined> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [algorithm],
      typ: "JWT",
      issuer,
      audience,
      currentDate: new Date(clock.now()),
      requiredClaims: ["sub", "jti", "iat", "exp"],
    });
    const { sub: name, jti: id, iat, exp } = payload;
    if (name === undefined || id === undefined || iat === undefined || exp === undefined) return undefined;
    return { id, name, issuedMs: iat * 1_000, expiresMs: exp * 1_000 };
  } catch {
    return undefined;
  }
}
