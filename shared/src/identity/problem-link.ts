import { SignJWT } from "jose";

/** Problem that a message links to. */
type LinkedProblem = {
  readonly realm: string;
  /** Reference of the object: `web1!http`. */
  readonly ref: string;
  readonly problemId: string;
  /** Time of the notification, Unix ms. */
  readonly atMs: number;
};

/** Time after which a link no longer says anything of its problem, s: 7 days. */
const lifetimeSec = 7 * 86_400;

/**
 * Signs the link of a problem as a JWT with algorithm HS256. It grants nothing: who opens it has to log in, and its type
 * and audience differ from those of a session. Equal problems give equal links, also for a repeated delivery.
 */
export function signProblemLink({ realm, ref, problemId, atMs }: LinkedProblem, secret: Uint8Array): Promise<string> {
  const issuedSec = Math.floor(atMs / 1_000);
  return new SignJWT({ problem: problemId })
    .setProtectedHeader({ alg: "HS256", typ: "problem-link+jwt" })
    .setIssuer("realmwatch")
    .setAudience(`link:${realm}`)
    .setSubject(ref)
    .setIssuedAt(issuedSec)
    .setExpirationTime(issuedSec + lifetimeSec)
    .sign(secret);
}
