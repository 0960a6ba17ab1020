import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import {
  encodeNatsResponse,
  natsRpcAssembler,
  maxNatsRpcBytes,
  type NatsRpcResponse,
  type NatsRpcRequest,
  type NatsRpcAssembler,
  type NatsRpcPart,
  type NatsRpcMessage,
  decodeNatsRequest,
  natsRpcHeaders,
} from "@realmwatch/shared/wire/nats/nats-rpc";
import { rpcSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { headers, type Msg } from "nats";

export type NatsRpcOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly realm: string;
  /**
   * Answers a call with the same gates as over HTTP. `call.timeoutMs` is above 0 and at most 120 s. May reject:
   * that is a bug, told to the caller as `internal` without detail.
   */
  answer(call: NatsRpcRequest): Promise<NatsRpcResponse>;
};

const defaultTimeoutMs = 30_000;
const longestTimeoutMs = 120_000;
/** Calls that are answered at one time; further ones are refused. */
const mostCalls = 256;
/** Calls of which parts are awaited, their bytes in all, and how long the next part may take, ms. */
const mostPartial = 64;
const mostPartialBytes = 2 * maxNatsRpcBytes;
const nextPartWithinMs = 30_000;

type Partial = { readonly collector: NatsRpcAssembler; cancel(): void };

/** Takes the calls of a realm that has no address of its own from NATS. Returns what ends it. */
export function serveRpcOverNats(options: NatsRpcOptions): () => void {
  const { bus, clock, log, realm } = options;
  const partial = new Map<string, Partial>();
  let calls = 0;

  function take(message: Msg): void {
    // Nobody would hear the answer; a command whose outcome nobody learns is better not begun.
    if (!message.reply) return;
    const part = partOf(message);
    if (part.headers.part === undefined) return void begin(message, { headers: part.headers, body: part.data });
    const collected = collect(message.reply, part);
    if (typeof collected === "string") reply(message, refusal("resource_exhausted", collected));
    else if (collected) void begin(message, collected);
  }

  function collect(reply: string, part: NatsRpcPart): NatsRpcMessage | undefined | string {
    const known = partial.get(reply);
    known?.cancel();
    if (!known && partial.size >= mostPartial) return "too many large calls at one time";
    const collector = known?.collector ?? natsRpcAssembler();
    const held = [...partial.values()].reduce((sum, other) => sum + other.collector.bytes(), part.data.length);
    const taken = collector.add(part);
    if (!taken.ok || taken.value || held > mostPartialBytes) partial.delete(reply);
    else partial.set(reply, { collector, cancel: clock.after(nextPartWithinMs, () => void partial.delete(reply)) });
    if (!taken.ok) return `the call cannot be read: ${taken.error}`;
    return held > mostPartialBytes ? "too many large calls at one time" : taken.value;
  }

  async function begin(message: Msg, whole: NatsRpcMessage): Promise<void> {
    if (calls >= mostCalls) return reply(message, refusal("resource_exhausted", "too many calls at one time"));
    const call = decodeNatsRequest(whole);
    if (!call.ok) return reply(message, refusal("invalid_argument", call.error));
    calls++;
    const timeoutMs = Math.min(call.value.timeoutMs || defaultTimeoutMs, longestTimeoutMs);
    const answer = await answerSafely({ ...call.value, timeoutMs });
    calls--;
    await reply(message, answer);
  }

  async function answerSafely(call: NatsRpcRequest): Promise<NatsRpcResponse> {
    try {
      return await options.answer(call);
    } catch (error) {
      log.error({ method: call.method, requestId: call.requestId, err: error }, "call over NATS failed");
      return refusal("internal", "internal error");
    }
  }

  /** Each part waits until the broker has the one before it, so that a large answer fills no buffer. */
  async function reply(message: Msg, answer: NatsRpcResponse): Promise<void> {
    try {
      for (const [i, part] of encodeNatsResponse(answer).entries()) {
        if (i > 0) await bus.live()?.flush();
        message.respond(part.data, { headers: headersOf(part) });
      }
    } catch (error) {
      // The connection is gone and with it the caller, who learns that the outcome is unknown.
      log.error({ realm, err: error }, "an answer over NATS could not be sent");
    }
  }

  const stop = bus.subscribe(rpcSubject(realm), take);
  return () => {
    stop();
    for (const { cancel } of partial.values()) cancel();
    partial.clear();
  };
}

const refusal = (code: string, message: string): NatsRpcResponse => ({ code, message, details: [], body: new Uint8Array() });

function partOf({ headers: given, data }: Msg): NatsRpcPart {
  const read = natsRpcHeaders.flatMap((name) => (given?.has(name) ? [[name, given.get(name)] as const] : []));
  return { headers: Object.fromEntries(read), data };
}

function headersOf(part: NatsRpcPart) {
  const given = headers();
  for (const [name, value] of Object.entries(part.headers)) given.set(name, value);
  return given;
}
