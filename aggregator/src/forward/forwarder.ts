import { type Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { RealmEntry, RealmsPlan } from "../realms/realms-document.ts";
import { type CircuitBreaker, circuitBreaker } from "./circuit-breaker.ts";
import { httpCaller } from "./http-caller.ts";
import { natsCaller } from "./nats-caller.ts";
import {
  type AgentProcess,
  type CallFailure,
  connectErrorOf,
  type RealmAnswer,
  type RealmCall,
  type RealmCaller,
  type RefusedByOther,
} from "./realm-call.ts";
import { callUntilKnown } from "./repeat-call.ts";

type ForwardedRealms = Pick<ForwarderOptions, "tokens"> & { readonly plan: ForwarderOptions["realms"] };

type SwitchingForwarderOptions = Pick<ForwarderOptions, "bus" | "clock" | "followedAgent" | "onEnd"> & {
  /** Time after which a call has ended, ms. */
  readonly forwardTimeoutMs: number;
  /** Reason why a realm is not called, as `ForwarderOptions` has it. */
  readonly silentReason: (entry: RealmEntry) => string | undefined;
};

/** Opens the forwarder to the realms of a document, which can be switched to those of another one. */
export function openSwitchingForwarder(documents: ForwardedRealms, options: SwitchingForwarderOptions) {
  const ending = new AbortController();
  const open = ({ plan, tokens }: ForwardedRealms): OpenForwarder =>
    openForwarder({
      ...{ ...options, realms: plan, tokens, ending: ending.signal },
      unreachableReason(realm) {
        const entry = plan.get(realm);
        return entry && options.silentReason(entry);
      },
    });
  let current = open(documents);
  return {
    current: () => current,
    switchTo(changed: ForwardedRealms): void {
      const previous = current;
      current = open(changed);
      // Running calls may still be answered.
      options.clock.after(options.forwardTimeoutMs, () => previous.close());
    },
    /** Answers all calls that wait for realms as `unavailable`. */
    abandonCalls: () => ending.abort(),
    close: () => current.close(),
  };
}

type ForwarderOptions = {
  readonly realms: RealmsPlan;
  /** Bearer tokens of the aggregator, by realm. */
  readonly tokens: ReadonlyMap<string, Secret>;
  readonly bus: NatsBus;
  readonly clock: Clock;
  /**
   * Reason why a realm is not called: it was heard and is silent now. Undefined when it is reachable, and when it was
   * never heard, since that says nothing about it.
   */
  readonly unreachableReason: (realm: string) => string | undefined;
  /** Agent's process that is followed, which is called. */
  readonly followedAgent: (realm: string) => AgentProcess;
  /** Aborts when the aggregator shuts down, which ends the wait for running calls. */
  readonly ending: AbortSignal;
  readonly onEnd: (ended: EndedForward) => void;
};
/** Finished call. `code` is `ok`, or the name of the error code. */
export type EndedForward = { readonly realm: string; readonly code: string; readonly seconds: number };

export type Forwarder = {
  hasRealm(realm: string): boolean;
  /** Forwards a call to a realm, without queueing. The error says whether the realm may have received it. */
  forward(realm: string, call: RealmCall): Promise<Result<RealmAnswer, Refusal | ConnectError>>;
};

/** Forwarder with its routes, until it is closed. */
type OpenForwarder = Forwarder & { close(): void };

type RealmRoute = { readonly caller: RealmCaller; readonly breaker: CircuitBreaker; readonly usesNats: boolean };

/** Opens a forwarder with one route to each realm. */
export function openForwarder(options: ForwarderOptions): OpenForwarder {
  const { realms, tokens, bus, clock, unreachableReason, followedAgent, ending, onEnd } = options;
  const routes = new Map<string, RealmRoute>();
  for (const { name, url } of realms.values()) {
    const token = tokens.get(name);
    const common = { realm: name, token, clock };
    const caller = url === "" ? natsCaller({ ...common, bus }) : httpCaller({ ...common, url });
    routes.set(name, { caller, breaker: circuitBreaker(clock), usesNats: url === "" });
  }
  /** Reason why a realm is not called. Without NATS no realm can be heard, and those with a URL are called anyway. */
  function notCalledReason(realm: string, { breaker, usesNats }: RealmRoute): string | undefined {
    const silent = usesNats || bus.live() !== undefined ? unreachableReason(realm) : undefined;
    if (silent !== undefined) return silent;
    return breaker.allows() ? undefined : "did not answer the last calls; it is tried again in some seconds";
  }
  /**
   * [FD86] Agent to call: the followed one. One that has refused a call for it is called where it surely succeeds it, and
   * where NATS is away, because then no successor can be heard.
   */
  const calledAgent = (realm: string, refusal: RefusedByOther | undefined): AgentProcess =>
    refusal !== undefined && (refusal.isSuccessor || bus.live() === undefined) ? refusal.agent : followedAgent(realm);
  async function callRealm(
    realm: string,
    route: RealmRoute,
    call: RealmCall,
  ): Promise<Result<RealmAnswer, CallFailure>> {
    const why = notCalledReason(realm, route);
    if (why !== undefined) return fail({ kind: "unreachable", why });
    const signal = AbortSignal.any([call.signal, ending]);
    const result = await callUntilKnown({ ...call, realm, signal }, { ...route, clock, calledAgent });
    if (result.ok || result.error.kind === "refused" || result.error.kind === "other_agent") route.breaker.succeed();
    else if (result.error.kind !== "canceled") route.breaker.fail();
    else if (!call.signal.aborted) return fail({ kind: "shutting_down", sent: result.error.sent });
    return result;
  }
  return {
    hasRealm: (realm) => routes.has(realm),
    async forward(realm, call) {
      const route = routes.get(realm);
      if (route === undefined) return fail({ kind: "missing", what: `realm ${JSON.stringify(realm)}` });
      const startedMs = clock.monotonic();
      const result = await callRealm(realm, route, call);
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
