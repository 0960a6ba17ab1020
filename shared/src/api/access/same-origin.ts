import type { RequestAddress } from "../../platform/http/request-address.ts";

/** Headers of a request by which a browser tells which page made it. */
type BrowserRequest = RequestAddress & {
  readonly headers: Pick<Headers, "get">;
};

/**
 * Returns whether a browser sent the request for a page of another origin. Absent headers pass: other clients send
 * none of them, and browsers that lack them do not send the cookie, which is `SameSite=Lax`.
 *
 * @param publicUrl URL of the dashboard for users, where a reverse proxy replaces the host
 */
export function isFromOtherOrigin(request: BrowserRequest, publicUrl: string | undefined): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  const origin = request.headers.get("origin");
  return origin !== null && !isOwnOrigin(origin, request, publicUrl);
}

/** An origin is ours when it is that of `publicUrl`, or has a host of the request, which a proxy may serve by https. */
function isOwnOrigin(origin: string, { hosts, https }: BrowserRequest, publicUrl: string | undefined): boolean {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (own !== undefined && origin === own.origin) return true;
  if (!URL.canParse(origin)) return false;
  const given = new URL(origin);
  // The public URL's host is served by its own scheme only: a page of the other one may be an attacker's.
  if (given.host === own?.host || origin !== given.origin) return false;
  const schemes = https ? ["https"] : ["http", "https"];
  return hosts.some((host) => host !== "" && schemes.some((scheme) => originOf(`${scheme}://${host}`) === origin));
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);
