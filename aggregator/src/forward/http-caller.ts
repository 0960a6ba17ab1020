import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import type { CallFailure, RealmCaller } from "./realm-call.ts";

/** Timeout for a connection, ms. Without one the realm is unreachable, before any deadline. */
const connectTimeoutMs = 3_000;
/** Maximum number of concurrent calls to one realm; further ones wait. */
const maxSockets = 32;
const maxAnswerBytes = 64 * 1024 * 1024;

/** Opens a client of a realm's API over HTTP with keep-alive connections. */
export function httpCaller(url: string, token: Secret | undefined): RealmCaller {
  const agent = openAgent(url);
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    nodeOptions: { agent },
    readMaxBytes: maxAnswerBytes,
  });
  return {
    async call({ method, message, requestId, timeoutMs, signal }) {
      const header = new Headers({ "x-request-id": requestId });
      if (token !== undefined) header.set("authorization", `Bearer ${token.reveal()}`);
      try {
        return ok((await transport.unary(method, signal, timeoutMs, header, message)).message);
      } catch (error) {
        return fail(failureOf(error, { timeoutMs, signal, delivered: hasConnection(agent) }));
      }
    },
    close: () => agent.destroy(),
  };
}

function openAgent(url: string): HttpAgent {
  const options = { keepAlive: true, maxSockets };
  const agent = url.startsWith("https:") ? new HttpsAgent(options) : new HttpAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args: Parameters<typeof connect>) => {
    const socket = connect(...args) as Socket;
    const connected = agent instanceof HttpsAgent ? "secureConnect" : "connect";
    socket.setTimeout(connectTimeoutMs, () =>
      socket.destroy(new Error(`no connection within ${connectTimeoutMs / 1000} s`)),
    );
    socket.once(connected, () => socket.setTimeout(0));
    return socket;
  };
  return agent;
}

/** True when a running call has a connection, so that its request may have been sent. */
const hasConnection = (agent: HttpAgent): boolean =>
  Object.values(agent.sockets).some((sockets) => sockets?.some((socket) => !socket.connecting) ?? false);

type FailedCall = { readonly timeoutMs: number; readonly signal: AbortSignal; readonly delivered: boolean };

function failureOf(thrown: unknown, { timeoutMs, signal, delivered }: FailedCall): CallFailure {
  const error = ConnectError.from(thrown);
  const type = error.metadata.get("content-type");
  if (type !== null) return answered(error, type);
  if (signal.aborted) return { kind: "canceled" };
  if (error.code !== Code.DeadlineExceeded) return { kind: "unreachable", why: `cannot be reached: ${rootOf(error)}` };
  const why = `did not answer within ${Math.round(timeoutMs / 100) / 10} s`;
  return delivered ? { kind: "unknown", why } : { kind: "unreachable", why };
}

/** Maps an error response. Only an error in Connect's JSON was sent by the realm; others are from a proxy or similar. */
function answered(error: ConnectError, contentType: string): CallFailure {
  const isFromRealm = contentType.startsWith("application/json") && !/^HTTP \d+$/.test(error.rawMessage);
  if (!isFromRealm)
    return { kind: "unreachable", why: `has no realm's API at its url: ${error.rawMessage}, ${contentType}` };
  const realmError = new ConnectError(error.rawMessage, error.code);
  realmError.details = error.details;
  return { kind: "refused", error: realmError };
}

function rootOf(error: Error): string {
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return cause instanceof Error && cause !== error ? rootOf(cause) : error.message;
}
