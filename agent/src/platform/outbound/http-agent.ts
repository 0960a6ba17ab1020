import { outboundConnector } from "@realmwatch/shared/platform/network/outbound-connector";
import { Agent, request } from "undici";
import type { NameResolver } from "../dns/name-resolver.ts";
import { socketLookup } from "../network/name-lookup.ts";

type HttpAgentOptions = {
  readonly resolver: NameResolver;
  /** Certificates of authorities, PEM; undefined for those of Node.js. */
  readonly authorities: string[] | undefined;
  readonly connectMs: number;
  readonly keepAliveMs: number;
  readonly onConnect?: (() => void) | undefined;
};

/** Connections of an HTTP client, with the function that sends a request over them. */
export type HttpAgent = { readonly dispatcher: Agent; readonly request: typeof request };

/** Opens the connections of an HTTP client. This module is loaded with the first request, because undici is large. */
export function openHttpAgent(options: HttpAgentOptions): HttpAgent {
  const dispatcher = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: options.keepAliveMs,
    connect: outboundConnector(options.resolver.outbound, {
      timeout: options.connectMs,
      lookup: socketLookup(options.resolver),
      ca: options.authorities,
    }),
  });
  if (options.onConnect !== undefined) dispatcher.on("connect", options.onConnect);
  return { dispatcher, request };
}
