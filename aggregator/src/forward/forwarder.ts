import type { Message } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { type CircuitBreaker, circuitBreaker } from "./circuit-breaker.ts";
import { httpCaller } from "./http-caller.ts";
import { natsCaller } from "./nats-caller.ts";
import { type CallFailure, type RealmCall, type RealmCaller, connectErrorOf } from "./realm-call.ts";

export type ForwarderOptions = {
  readonly realms: RealmsPlan;
  /** Bearer tokens of our identity, by realm. */
  readonly tokens: ReadonlyMap<string, Secret>;
  readonly bus: NatsBus;
  readonly clock: Clock;
  /** Why a realm is not even tried; undefined where it is. */
  readonly unreachableReason: (realm: string) => string | undefined;
  /** Aborts where the aggregator ends: calls that are on their way are waited for no longer. */
  readonly ending: AbortSignal;
  readonly onEnd: (ended: EndedForward) => void;
};
/** `code` is `ok`, or the name of the error's code. */
export type EndedForward = { readonly realm: string; readonly code: string; readonly seconds: number };

export type Forwarder = {
  hasRealm(realm: string): boolean;
  /** Has a realm do something. Nothing is queued or tried twice: an error says whether the realm can have got it. */
  forward(realm: string, call: RealmCall): Promise<Result<Message, Refusal | ConnectError>>;
  close(): void;
};

type RealmRoute = { readonly caller: RealmCaller; readonly breaker: CircuitBreaker };

/** Opens a way to each realm. */
export function openForwarder({ realms, tokens, bus, clock, unreachableReason, ending, onEnd }: ForwarderOptions): Forwarder {
  const routes = new Map<string, RealmRoute>();
  for (const { name, url } of realms.values()) {
    const token = tokens.get(name);
    const caller = url === "" ? natsCaller({ realm: name, bus, token, clock }) : httpCaller(url, token);
    routes.set(name, { caller, breaker: circuitBreaker(clock) });
  }
  async function attempt(realm: string, way: RealmRoute, call: RealmCall): Promise<Result<Message, CallFailure>> {
    const why = unreachableReason(realm);
    if (why !== undefined) return fail({ kind: "unreachable", why });
    if (!way.breaker.allows())
      return fail({ kind: "unreachable", why: "did not answer the last calls; it is tried again in some seconds" });
    const result = await way.caller.call({ ...call, signal: AbortSignal.any([call.signal, ending]) });
    if (!result.ok && result.error.kind === "canceled" && !call.signal.aborted) return fail({ kind: "given_up" });
    const lost = !result.ok && (result.error.kind === "unreachable" || result.error.kind === "unknown");
    if (lost) way.breaker.fail();
    else way.breaker.succeed();
    return result;
  }
  return {
    hasRealm: (realm) => routes.has(realm),
    async forward(realm, call) {
      const way = routes.get(realm);
      if (way === undefined) return fail({ kind: "missing", what: `realm ${JSON.stringify(realm)}` });
      const startedMs = clock.monotonic();
      const result = await attempt(realm, way, call);
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
