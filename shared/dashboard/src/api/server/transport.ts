import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { ValueStore } from "../context/value-store.ts";
import { randomKey } from "./random-key.ts";

/** Timeout of one call, ms. A poll that takes longer counts as failed. */
const callTimeoutMs = 15_000;

const commandServices: ReadonlySet<string> = new Set([CommandService.typeName, RealmCommandService.typeName]);

/** Adds an idempotency key to each command without one, so that an aggregator or proxy may repeat it. */
const withKey: Interceptor = (next) => (request) => {
  if (commandServices.has(request.service.typeName) && !request.header.has("idempotency-key"))
    request.header.set("idempotency-key", randomKey());
  return next(request);
};

/** Reports the time of the server that each response has in its header, Unix ms with a precision of 1 s. */
const reportTime =
  (onServerTime: (serverMs: number) => void): Interceptor =>
  (next) =>
  async (request) => {
    const response = await next(request);
    const serverMs = Date.parse(response.header.get("date") ?? "");
    if (!Number.isNaN(serverMs)) onServerTime(serverMs);
    return response;
  };

type TransportOptions = {
  readonly token: ValueStore<string>;
  /** Receives the time of the server, Unix ms, with each response. */
  readonly onServerTime: (serverMs: number) => void;
};

/** Transport to the server that served the page. Binary, because a response can hold thousands of rows. */
export function createTransport(origin: string, { token, onServerTime }: TransportOptions): Transport {
  const bearer: Interceptor = (next) => (request) => {
    if (token.get() !== "") request.header.set("authorization", `Bearer ${token.get()}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl: origin,
    useBinaryFormat: true,
    interceptors: [bearer, withKey, reportTime(onServerTime)],
    defaultTimeoutMs: callTimeoutMs,
    // A token and the session of another user would contradict each other.
    fetch: (input, init) => fetch(input, { ...init, credentials: token.get() === "" ? "same-origin" : "omit" }),
  });
}
