import { randomBytes } from "node:crypto";
import { digestToken } from "./bearer-token.ts";

/** Creates a bearer token of 256 random bits, and its hash for the auth document. */
export function newToken(): { readonly token: string; readonly tokenHash: string } {
  const token = `rw_${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: `sha256:${digestToken(token)}` };
}
