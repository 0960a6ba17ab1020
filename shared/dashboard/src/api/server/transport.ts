import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { ValueStore } from "../context/value-store.ts";

/** How long one call may take, ms: above it a poll counts as failed and the page says so. */
const callTimeoutMs = 15_000;

/** Calls the server that served the page. Rows come by the thousand, so they come in binary. */
export function createTransport(origin: string, token: ValueStore<string>): Transport {
  const bearer: Interceptor = (next) => (request) => {
    if (token.get() !== "") request.header.set("authorization", `Bearer ${token.get()}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl: origin,
    useBinaryFormat: true,
    interceptors: [bearer],
    defaultTimeoutMs: callTimeoutMs,
  });
}
