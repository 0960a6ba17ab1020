import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { type ListStatusResponse, QueryService, type StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
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

/** Reports the rows of each list of states that arrives, before its caller has them. */
const reportRows =
  (onRows: (rows: readonly StatusRow[]) => void): Interceptor =>
  (next) =>
  async (request) => {
    const response = await next(request);
    const isList = response.method.parent.typeName === QueryService.typeName && response.method.name === "ListStatus";
    if (isList && !response.stream) onRows((response.message as ListStatusResponse).rows);
    return response;
  };

type TransportOptions = {
  readonly token: ValueStore<string>;
  /** Receives the time of the server, Unix ms, with each response. */
  readonly onServerTime: (serverMs: number) => void;
  /** Receives the rows of each response of ListStatus. */
  readonly onRows: (rows: readonly StatusRow[]) => void;
};

/** Transport to the server that served the page. Binary, because a response can hold thousands of rows. */
export function createTransport(origin: string, { token, onServerTime, onRows }: TransportOptions): Transport {
  const bearer: Interceptor = (next) => (request) => {
    if (token.get() !== "") request.header.set("authorization", `Bearer ${token.get()}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl: origin,
    useBinaryFormat: true,
    interceptors: [bearer, withKey, reportTime(onServerTime), reportRows(onRows)],
    defaultTimeoutMs: callTimeoutMs,
    // A token and the session of another user would contradict each other.
    fetch: (input, init) => fetch(input, { ...init, credentials: token.get() === "" ? "same-origin" : "omit" }),
  });
}
