import type { TLSSocket } from "node:tls";
import { ok, type Result } from "../../model/result.ts";
import type { NetworkList } from "../network/network-list.ts";
import { hostOf } from "./host-header.ts";
import type { HttpRequest } from "./http-messages.ts";
import { plainAddress } from "./peer-address.ts";

/** Host and scheme that a caller addressed. */
export type RequestAddress = {
  /** Host and port of the request itself, then those that a trusted proxy reports. */
  readonly hosts: readonly string[];
  /** True when the caller used https: as a trusted proxy reports it, else as the connection was. */
  readonly https: boolean;
};

/**
 * [PT15] Returns the host and scheme that a caller addressed: those of the request, and with them those that
 * `X-Forwarded-Host` and `X-Forwarded-Proto` report when a trusted proxy sent it. From any other peer these headers have
 * no effect. Fails as `hostOf` does.
 */
export function requestAddress(request: HttpRequest, trusted: NetworkList): Result<RequestAddress, string> {
  const host = hostOf(request);
  if (!host.ok) return host;
  const isEncrypted = (request.socket as TLSSocket).encrypted === true;
  if (!trusted.includes(plainAddress(request.socket.remoteAddress ?? "")))
    return ok({ hosts: [host.value], https: isEncrypted });
  const forwarded = listOf(request.headers["x-forwarded-host"]);
  const schemes = listOf(request.headers["x-forwarded-proto"]);
  const https = schemes.length > 0 ? schemes.some((scheme) => scheme.toLowerCase() === "https") : isEncrypted;
  return ok({ hosts: [host.value, ...forwarded], https });
}

/** Values of a header to which each of several proxies may have appended one. */
const listOf = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
