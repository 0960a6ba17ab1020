import type { Message } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { type CircuitBreaker, circuitBreaker } from "./circuit-breaker.ts";
import { httpCaller } from "./http-caller.ts";
import { natsCaller } from "./nats-caller.ts";
import { type CallFailure, connectErrorOf, type RealmCall, type RealmCaller } from "./realm-call.ts";

export type ForwarderOptions = {
  readonly realms: RealmsPlan;
  /** Bearer tokens of the aggregator, by realm. */
  readonly tokens: ReadonlyMap<string, Secret>;
  readonly bus: NatsBus;
  readonly clock: Clock;
  /** Reason why a realm is not called; undefined when it is reachable. */
  readonly unreachableReason: (realm: string) => string | undefined;
  /** Aborts when the aggregator shuts down, which ends the wait for running calls. */
  readonly ending: AbortSignal;
  readonly onEnd: (ended: EndedForward) => void;
};
/** Finished call. `code` is `ok`, or the name of the error code. */
export type EndedForward = { readonly realm: string; readonly code: string; readonly seconds: number };

export type Forwarder = {
  hasRealm(realm: string): boolean;
  /** Forwards a call to a realm, without queueing or retries. The error says whether the realm may have received it. */
  forward(realm: string, call: RealmCall): Promise<Result<Message, Refusal | ConnectError>>;
  close(): void;
};

type RealmRoute = { readonly caller: RealmCaller; readonly breaker: CircuitBreaker };

/** Opens a forwarder with one route to each realm. */
export function openForwarder({
  realms,
  tokens,
  bus,
  clock,
  unreachableReason,
  ending,
  onEnd,
}: ForwarderOptions): Forwarder {
  const routes = new Map<string, RealmRoute>();
  for (const { name, url } of realms.values()) {
    const token = tokens.get(name);
    const caller = url === "" ? natsCaller({ realm: name, bus, token, clock }) : httpCaller(url, token);
    routes.set(name, { caller, breaker: circuitBreaker(clock) });
  }
  async function attempt(realm: string, route: RealmRoute, call: RealmCall): Promise<Result<Message, CallFailure>> {
    const why = unreachableReason(realm);
    if (why !== undefined) return fail({ kind: "unreachable", why });
    if (!route.breaker.allows())
      return fail({ kind: "unreachable", why: "did not answer the last calls; it is tried again in some seconds" });
    const result = await route.caller.call({ ...call, signal: AbortSignal.any([call.signal, ending]) });
    if (!result.ok && result.error.kind === "canceled" && !call.signal.aborted) return fail({ kind: "shutting_down" });
    const lost = !result.ok && (result.error.kind === "unreachable" || result.error.kind === "unknown");
    if (lost) route.breaker.fail();
    else route.breaker.succeed();
    return result;
  }
  return {
    hasRealm: (realm) => routes.has(realm),
    async forward(realm, call) {
      const route = routes.get(realm);
      if (route === undefined) return fail({ kind: "missing", what: `realm ${JSON.stringify(realm)}` });
      const startedMs = clock.monotonic();
      const result = await attempt(realm, route, call);
      const error = result.ok ? undefined : connectErrorOf(realm, result.error);
      onEnd({ realm, code: nameOf(error?.code), seconds: (clock.monotonic() - startedMs) / 1000 });
      return result.ok ? result : fail(error ?? new ConnectError("unreachable"));
    },
    close() {
      for (const { caller } of routes.values()) caller.close();
    },
  };
}

const nameOf = (code: Code | undefined): string => (code === undefined ? "ok" : codeToString(code));
