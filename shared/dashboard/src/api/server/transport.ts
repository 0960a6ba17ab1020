import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { ValueStore } from "../context/value-store.ts";

/** Timeout of one call, ms. A poll that takes longer counts as failed. */
const callTimeoutMs = 15_000;

/** Transport to the server that served the page. Binary, because a response can hold thousands of rows. */
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
