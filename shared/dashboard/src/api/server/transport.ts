import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { ValueStore } from "../context/value-store.ts";

/** Timeout of one call, ms. A poll that takes longer counts as failed. */
const callTimeoutMs = 15_000;

const commandServices: ReadonlySet<string> = new Set([CommandService.typeName, RealmCommandService.typeName]);

/** Adds an idempotency key to each command, so that an aggregator or proxy may repeat it. */
const withKey: Interceptor = (next) => (request) => {
  if (commandServices.has(request.service.typeName)) request.header.set("idempotency-key", randomKey());
  return next(request);
};

/** Random key of 32 hexadecimal digits. `crypto.randomUUID` is missing on pages that were served without TLS. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Transport to the server that served the page. Binary, because a response can hold thousands of rows. */
export function createTransport(origin: string, token: ValueStore<string>): Transport {
  const bearer: Interceptor = (next) => (request) => {
    if (token.get() !== "") request.header.set("authorization", `Bearer ${token.get()}`);
    return next(request);
  };
  return createConnectTransport({
    baseUrl: origin,
    useBinaryFormat: true,
    interceptors: [bearer, withKey],
    defaultTimeoutMs: callTimeoutMs,
  });
}
