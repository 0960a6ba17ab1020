import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { parseDocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsHeaders } from "@realmwatch/shared/platform/nats/nats-headers";
import {
  type DispatchedResponse,
  decodeNatsResponse,
  encodeNatsRequest,
  type NatsRpcMessage,
  type NatsRpcPart,
  type NatsRpcRequest,
  natsRpcAssembler,
  natsRpcHeaders,
} from "@realmwatch/shared/wire/nats/nats-rpc";
import { rpcSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { createInbox, type Msg, type NatsConnection } from "nats";
import { type CallFailure, failureFrom, noAnswerWithin, type RealmCaller } from "./realm-call.ts";

type Options = {
  readonly realm: string;
  readonly bus: NatsBus;
  readonly token: Secret | undefined;
  readonly clock: Clock;
};

/** Opens a client of a realm without a `url`: its agent serves the same calls, with the same checks, over NATS. */
export function natsCaller({ realm, bus, token, clock }: Options): RealmCaller {
  return {
    async call({ method, message, timeoutMs, signal, ...attempt }) {
      const connection = bus.live();
      if (connection === undefined) return fail({ kind: "unreachable", why: "cannot be reached: NATS is away" });
      const call: NatsRpcRequest = {
        method: `${method.parent.typeName}/${method.name}`,
        authorization: token === undefined ? "" : `Bearer ${token.reveal()}`,
        requestId: attempt.requestId,
        timeoutMs,
        deadlineUptimeMs: attempt.deadlineUptimeMs,
        idempotencyKey: attempt.idempotencyKey,
        realm,
        instance: attempt.instance,
        body: toBinary(method.input, message),
      };
      const whole = await exchange(connection, { subject: rpcSubject(realm), call, clock, signal });
      if (!whole.ok) return whole;
      const answer = decodeNatsResponse(whole.value);
      if (!answer.ok) return fail({ kind: "unknown", why: `gave no answer that can be read (${answer.error})` });
      if (answer.value.code !== "ok")
        return fail(
          failureFrom(errorOf(answer.value), { instance: attempt.instance, isShared: true, nowMs: clock.monotonic() }),
        );
      try {
        const { body, matched, documentChange } = answer.value;
        return ok({ message: fromBinary(method.output, body), matched, change: parseDocumentChange(documentChange) });
      } catch {
        return fail({ kind: "unknown", why: "gave no answer that can be read" });
      }
    },
    close() {},
  };
}

type Exchange = {
  readonly subject: string;
  readonly call: NatsRpcRequest;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Sends the parts of a call and collects the parts of its answer on a separate reply subject. */
function exchange(
  connection: NatsConnection,
  { subject, call, clock, signal }: Exchange,
): Promise<Result<NatsRpcMessage, CallFailure>> {
  return new Promise((resolve) => {
    const inbox = createInbox(inboxPrefixOf(connection));
    const collector = natsRpcAssembler();
    let sent = false;
    const cancel = clock.after(call.timeoutMs, () =>
      end(fail({ kind: "unknown", why: noAnswerWithin(call.timeoutMs), isTimeout: true })),
    );
    const subscription = connection.subscribe(inbox, { callback: (error, message) => onMessage(error, message) });
    const abort = (): void => end(fail({ kind: "canceled", sent }));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();
    try {
      for (const part of encodeNatsRequest(call)) {
        connection.publish(subject, part.data, { reply: inbox, headers: natsHeaders(part.headers) });
        sent = true;
      }
    } catch (error) {
      const why = errorText(error);
      if (sent) end(fail({ kind: "unknown", why: `was not called completely: ${why}` }));
      else end(fail({ kind: "unreachable", why: `cannot be reached: ${why}` }));
    }

    function onMessage(error: Error | null, message: Msg): void {
      if (error) return end(fail({ kind: "unknown", why: `did not answer: ${error.message}` }));
      // NATS answers 503 when the subject has no subscriber.
      if (message.headers?.code === 503) return end(fail({ kind: "unreachable", why: "does not listen on NATS" }));
      const taken = collector.add(partOf(message));
      if (!taken.ok) return end(fail({ kind: "unknown", why: `gave no answer that can be read (${taken.error})` }));
      if (taken.value !== undefined) end(ok(taken.value));
    }
    function end(result: Result<NatsRpcMessage, CallFailure>): void {
      cancel();
      signal.removeEventListener("abort", abort);
      if (!connection.isClosed()) subscription.unsubscribe();
      resolve(result);
    }
  });
}

/** Prefix of the inboxes that the server permits this connection. */
const inboxPrefixOf = (connection: NatsConnection): string =>
  (connection as unknown as { options?: { inboxPrefix?: string } }).options?.inboxPrefix ?? "_INBOX";

function partOf(message: Msg): NatsRpcPart {
  const given = natsRpcHeaders.flatMap((name) => {
    const value = message.headers?.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return { headers: Object.fromEntries(given), data: message.data };
}

function errorOf({ code, message, details }: DispatchedResponse): ConnectError {
  const error = new ConnectError(message, codeFromString(code) ?? Code.Unknown);
  error.details = details.map(({ type, value }) => ({ type, value: new Uint8Array(value) }));
  return error;
}
