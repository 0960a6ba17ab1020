import type { Message } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { type Breaker, openBreaker } from "./circuit-breaker.ts";
import { httpCaller } from "./http-caller.ts";
import { natsCaller } from "./nats-caller.ts";
import { type CallFailure, type RealmCall, type RealmCaller, showFailure } from "./realm-call.ts";

export type ForwarderOptions = {
  readonly realms: RealmsPlan;
  /** Bearer tokens of our identity, by realm. */
  readonly tokens: ReadonlyMap<string, Secret>;
  readonly bus: NatsBus;
  readonly clock: Clock;
  /** Why a realm is not even tried; undefined where it is. */
  readonly silent: (realm: string) => string | undefined;
  /** Aborts where the aggregator ends: calls that are on their way are waited for no longer. */
  readonly ending: AbortSignal;
  readonly onEnd: (ended: EndedForward) => void;
};
/** `code` is `ok`, or the name of the error's code. */
export type EndedForward = { readonly realm: string; readonly code: string; readonly seconds: number };

export type Forwarder = {
  knows(realm: string): boolean;
  /** Has a realm do something. Nothing is queued or tried twice: an error says whether the realm can have got it. */
  forward(realm: string, call: RealmCall): Promise<Result<Message, Refusal | ConnectError>>;
  close(): void;
};

type Way = { readonly caller: RealmCaller; readonly breaker: Breaker };

/** Opens a way to each realm. */
export function openForwarder({ realms, tokens, bus, clock, silent, ending, onEnd }: ForwarderOptions): Forwarder {
  const ways = new Map<string, Way>();
  for (const { name, url } of realms.values()) {
    const token = tokens.get(name);
    const caller = url === "" ? natsCaller({ realm: name, bus, token, clock }) : httpCaller(url, token);
    ways.set(name, { caller, breaker: openBreaker(clock) });
  }
  async function attempt(realm: string, way: Way, call: RealmCall): Promise<Result<Message, CallFailure>> {
    const why = silent(realm);
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
    knows: (realm) => ways.has(realm),
    async forward(realm, call) {
      const way = ways.get(realm);
      if (way === undefined) return fail({ kind: "missing", what: `realm ${JSON.stringify(realm)}` });
      const startedMs = clock.monotonic();
      const result = await attempt(realm, way, call);
      const error = result.ok ? undefined : showFailure(realm, result.error);
      onEnd({ realm, code: nameOf(error?.code), seconds: (clock.monotonic() - startedMs) / 1000 });
      return result.ok ? result : fail(error ?? new ConnectError("unreachable"));
    },
    close() {
      for (const { caller } of ways.values()) caller.close();
    },
  };
}

const nameOf = (code: Code | undefined): string => (code === undefined ? "ok" : codeToString(code));
