import { isIP } from "node:net";
import { fail, ok, type Result } from "../../model/result.ts";
import type { HttpRequest } from "./http-messages.ts";

/** Returns true for a host name or address, as `hostName` returns it, at which browsers may reach the port. */
export type AllowedHosts = (name: string) => boolean;

/** Parses `-allowed-hosts`: names separated by commas. The error is the end of a sentence about the text. */
export function parseAllowedHosts(text: string): Result<readonly string[], string> {
  const names = text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const wrong = names.find((name) => !/^[\w.-]{1,253}$/.test(name) && isIP(name) === 0);
  return wrong === undefined
    ? ok(names.map(hostName))
    : fail(`has ${JSON.stringify(wrong)}, which is not a host name: write it without scheme, port and path`);
}

/**
 * [PT5] Hosts of a port that anyone may use who reaches it: loopback, addresses, the host of the public URL and further
 * ones. A site of another name that resolves to this machine (DNS rebinding) is not among them.
 */
export function allowedHosts(names: readonly string[], publicUrl: string | undefined): AllowedHosts {
  const all = new Set(names);
  if (publicUrl !== undefined) all.add(hostName(new URL(publicUrl).host));
  return (name) => isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost") || all.has(name);
}

/** Name or address in a `Host` header: lower case, without port, brackets and final dot. */
export function hostName(host: string): string {
  const name = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1] ?? (isIP(host) === 6 ? host : host.replace(/:\d*$/, ""));
  return name.toLowerCase().replace(/\.$/, "");
}

/** Host as a URI writes it (RFC 3986, section 3.2.2), with an optional port. */
const hostSyntax = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

function isValidHost(host: string): boolean {
  const match = hostSyntax.exec(host);
  return match !== null && (match[1] === undefined || isIP(match[1]) === 6);
}

/**
 * [IN16] The `Host` header of a request, or the `:authority` that replaces it in HTTP/2; empty without one, which only
 * HTTP/1.0 permits. Fails with a sentence for a missing or invalid one, for two in HTTP/1, and for two that differ in
 * HTTP/2.
 */
export function hostOf(request: HttpRequest): Result<string, string> {
  const hosts: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]?.toLowerCase();
    if (name === "host" || name === ":authority") hosts.push(request.rawHeaders[at + 1] ?? "");
  }
  const [host, ...others] = hosts;
  if (host === undefined) return request.httpVersion === "1.0" ? ok("") : fail("the request has no Host header");
  const isSame = request.httpVersionMajor === 2 && others.every((other) => other === host);
  if (others.length > 0 && !isSame) return fail("the request has more than one Host header");
  if (isValidHost(host)) return ok(host);
  return fail(
    `the Host header ${JSON.stringify(host.slice(0, 100))} is invalid: expected a name or address, and a port`,
  );
}

/**
 * True when a browser sent the request. It sends no `Origin` with a GET of its own site, and `Sec-Fetch-Site` only to
 * secure origins, so for a `read` over GET its language counts as well.
 */
export const isFromBrowser = ({ headers, method }: HttpRequest, { read }: { readonly read: boolean }): boolean =>
  headers.origin !== undefined ||
  headers["sec-fetch-site"] !== undefined ||
  (read && method === "GET" && headers["accept-language"] !== undefined);
