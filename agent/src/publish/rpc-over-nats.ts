import type { Clock } from "@realmwatch/shared/model/clock";
import { idempotencyKeyHeader, realmHeader } from "@realmwatch/shared/model/idempotency-key";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsHeaders } from "@realmwatch/shared/platform/nats/nats-headers";
import type { DispatchedRequest } from "@realmwatch/shared/platform/rpc/dispatched-rpc";
import { refusedDispatch } from "@realmwatch/shared/platform/rpc/dispatched-rpc";
import { instanceHeader, uptimeDeadlineHeader } from "@realmwatch/shared/platform/rpc/rpc-deadline";
import {
  type DispatchedResponse,
  decodeNatsRequest,
  encodeNatsResponse,
  maxNatsRpcBytes,
  type NatsRpcAssembler,
  type NatsRpcMessage,
  type NatsRpcPart,
  type NatsRpcRequest,
  natsRpcAssembler,
  natsRpcHeaders,
} from "@realmwatch/shared/wire/nats/nats-rpc";
import { rpcSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Msg } from "nats";

type NatsRpcOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly realm: string;
  /** Id of this process. */
  readonly instance: string;
  /** True while the aggregator is known to follow another agent of the realm. */
  isHeld(): boolean;
  /**
   * Answers a call after the same authentication and authorisation as over HTTP. `call.timeoutMs` is above 0 and at
   * most 120 s. A rejection is a bug: the caller receives `internal` without detail.
   */
  answer(call: NatsRpcRequest): Promise<DispatchedResponse>;
};

const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 120_000;
/** Maximum number of concurrent calls; further ones are refused. */
const maxCalls = 256;
/** Limits of calls that arrive in parts: number of calls, bytes in all, and time until the next part, ms. */
const maxPartialCalls = 64;
const maxPartialBytes = 2 * maxNatsRpcBytes;
const partTimeoutMs = 30_000;

type PartialCall = { readonly collector: NatsRpcAssembler; cancel(): void };

/** Calls of which not all parts have arrived, by their reply subject. */
class PartialCalls {
  readonly #clock: Clock;
  readonly #calls = new Map<string, PartialCall>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the call once it is complete, or a sentence that says why it is given up. */
  add(reply: string, part: NatsRpcPart): NatsRpcMessage | undefined | string {
    const known = this.#calls.get(reply);
    known?.cancel();
    if (!known && this.#calls.size >= maxPartialCalls) return "too many large calls at one time";
    const collector = known?.collector ?? natsRpcAssembler();
    const held = [...this.#calls.values()].reduce((sum, other) => sum + other.collector.bytes(), part.data.length);
    const taken = collector.add(part);
    if (!taken.ok || taken.value || held > maxPartialBytes) this.#calls.delete(reply);
    else {
      const cancel = this.#clock.after(partTimeoutMs, () => void this.#calls.delete(reply));
      this.#calls.set(reply, { collector, cancel });
    }
    if (!taken.ok) return `the call cannot be read: ${taken.error}`;
    return held > maxPartialBytes ? "too many large calls at one time" : taken.value;
  }

  clear(): void {
    for (const { cancel } of this.#calls.values()) cancel();
    this.#calls.clear();
  }
}

/** Serves the calls of a realm without a `url` over NATS. Returns the function that stops it. */
export function serveRpcOverNats(options: NatsRpcOptions): () => void {
  const { bus, clock, log, realm } = options;
  const partial = new PartialCalls(clock);
  let calls = 0;

  function take(message: Msg): void {
    // Without a reply subject the caller could not learn the outcome, so the command is not started.
    if (!message.reply) return;
    const part = partOf(message);
    if (part.headers.part === undefined) return void begin(message, { headers: part.headers, body: part.data });
    const collected = partial.add(message.reply, part);
    if (typeof collected === "string") reply(message, refusedDispatch("resource_exhausted", collected));
    else if (collected) void begin(message, collected);
  }

  /**
   * [FD60] True when the agent that the aggregator follows answers the call, so that this one stays silent: the caller
   * would take the first answer, and a refusal here would hide that the other agent has executed the call.
   */
  const isForAnother = ({ headers: given }: NatsRpcMessage): boolean =>
    options.isHeld() && given[instanceHeader] !== options.instance;

  async function begin(message: Msg, whole: NatsRpcMessage): Promise<void> {
    if (isForAnother(whole)) return;
    if (calls >= maxCalls) return reply(message, refusedDispatch("resource_exhausted", "too many calls at one time"));
    const call = decodeNatsRequest(whole);
    if (!call.ok) return reply(message, refusedDispatch("invalid_argument", call.error));
    calls++;
    const timeoutMs = Math.min(call.value.timeoutMs || defaultTimeoutMs, maxTimeoutMs);
    const answer = await answerSafely({ ...call.value, timeoutMs }, options);
    calls--;
    await reply(message, answer);
  }

  /** Sends each part after the broker has received the one before it, so that a large answer fills no buffer. */
  async function reply(message: Msg, answer: DispatchedResponse): Promise<void> {
    try {
      for (const [i, part] of encodeNatsResponse(answer).entries()) {
        if (i > 0) await bus.live()?.flush();
        message.respond(part.data, { headers: natsHeaders(part.headers) });
      }
    } catch (error) {
      // The connection is lost: the caller times out and reports an unknown outcome.
      log.error({ realm, err: error }, "an answer over NATS could not be sent");
    }
  }

  const stop = bus.subscribe(rpcSubject(realm), take);
  return () => {
    stop();
    partial.clear();
  };
}

async function answerSafely(
  call: NatsRpcRequest,
  { log, answer }: Pick<NatsRpcOptions, "log" | "answer">,
): Promise<DispatchedResponse> {
  try {
    return await answer(call);
  } catch (error) {
    log.error({ method: call.method, requestId: call.requestId, err: error }, "call over NATS failed");
    return refusedDispatch("internal", "internal error");
  }
}

/** Request for the handlers of the port, with the headers that the call would have over HTTP. */
export const dispatchedRequestOf = (call: NatsRpcRequest): DispatchedRequest => ({
  path: `/${call.method}`,
  headers: {
    ...(call.authorization === "" ? {} : { authorization: call.authorization }),
    ...(call.requestId === "" ? {} : { "x-request-id": call.requestId }),
    ...(call.idempotencyKey === undefined ? {} : { [idempotencyKeyHeader]: call.idempotencyKey }),
    ...(call.realm === undefined ? {} : { [realmHeader]: call.realm }),
    ...(call.instance === undefined ? {} : { [instanceHeader]: call.instance }),
    ...(call.deadlineUptimeMs === undefined ? {} : { [uptimeDeadlineHeader]: String(call.deadlineUptimeMs) }),
  },
  timeoutMs: call.timeoutMs,
  peer: "nats",
  body: call.body,
});

function partOf({ headers: given, data }: Msg): NatsRpcPart {
  const read = natsRpcHeaders.flatMap((name) => (given?.has(name) ? [[name, given.get(name)] as const] : []));
  return { headers: Object.fromEntries(read), data };
}
