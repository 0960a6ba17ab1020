import { Code, ConnectError } from "@connectrpc/connect";
import { createTransport } from "@connectrpc/connect/protocol-connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { documentChangeHeader, parseDocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { Clock } from "@realmwatch/shared/model/clock";
import {
  forwardedByHeader,
  idempotencyKeyHeader,
  matchedObjectsHeader,
  realmHeader,
} from "@realmwatch/shared/model/idempotency-key";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import { instanceHeader, uptimeDeadlineHeader } from "@realmwatch/shared/platform/rpc/rpc-deadline";
import {
  type CallFailure,
  failureFrom,
  noAnswerWithin,
  type RealmCallAttempt,
  type RealmCaller,
} from "./realm-call.ts";

const maxAnswerBytes = 64 * 1024 * 1024;

const transportOptions = {
  ...{ useBinaryFormat: true, interceptors: [], sendCompression: null, compressMinBytes: 1024 },
  ...{ acceptCompression: [compressionGzip, compressionBrotli] },
  ...{ readMaxBytes: maxAnswerBytes, writeMaxBytes: 2 ** 32 - 1 },
};

type Options = {
  readonly realm: string;
  readonly url: string;
  readonly token: Secret | undefined;
  readonly clock: Clock;
};

/** Opens a client of a realm's API over HTTP with keep-alive connections. */
export function httpCaller({ realm, url, token, clock }: Options): RealmCaller {
  // The HTTP client takes 30 ms to load, which an aggregator saves whose realms are all reached over NATS.
  const opening = import("./realm-http-client.ts").then((module) => module.openRealmHttpClient(url, maxAnswerBytes));
  // A failure to load it is the error of each call.
  opening.catch(() => {});
  return {
    async call(call) {
      const { method, message, timeoutMs, signal } = call;
      // A transport for each call, because only its client knows whether this call's request was sent.
      let wasSent = (): boolean => false;
      try {
        const client = (await opening).forCall();
        wasSent = client.wasSent;
        const transport = createTransport({ ...transportOptions, baseUrl: url, httpClient: client.httpClient });
        const header = headersOf(call, { realm, token });
        const answer = await transport.unary(method, signal, timeoutMs, header, message);
        const matched = answer.header.get(matchedObjectsHeader);
        return ok({
          message: answer.message,
          matched: matched === null ? undefined : Number(matched),
          change: parseDocumentChange(answer.header.get(documentChangeHeader)),
        });
      } catch (error) {
        return fail(failureOf(error, { ...call, sent: wasSent(), nowMs: clock.monotonic() }));
      }
    },
    close: () => void opening.then((client) => client.close()).catch(() => {}),
  };
}

function headersOf(
  { requestId, idempotencyKey, instance, deadlineUptimeMs }: RealmCallAttempt,
  { realm, token }: Pick<Options, "realm" | "token">,
): Headers {
  return new Headers({
    "x-request-id": requestId,
    [forwardedByHeader]: "realmwatch-aggregator",
    [realmHeader]: realm,
    ...(instance === "" ? {} : { [instanceHeader]: instance }),
    ...(deadlineUptimeMs === undefined
      ? {}
      : { [uptimeDeadlineHeader]: String(Math.max(0, Math.floor(deadlineUptimeMs))) }),
    ...(idempotencyKey === undefined ? {} : { [idempotencyKeyHeader]: idempotencyKey }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
  });
}

type FailedCall = Pick<RealmCallAttempt, "timeoutMs" | "signal" | "instance"> & {
  readonly sent: boolean;
  /** Present time on the monotonic clock, ms. */
  readonly nowMs: number;
};

function failureOf(thrown: unknown, failed: FailedCall): CallFailure {
  const { timeoutMs, signal, sent } = failed;
  const error = ConnectError.from(thrown);
  const type = error.metadata.get("content-type");
  const status = /^HTTP (\d+)$/.exec(error.rawMessage)?.[1];
  if (status !== undefined) return answeredByProxy(Number(status), type ?? "no content type");
  if (type !== null) return answered(error, type, failed);
  if (signal.aborted) return { kind: "canceled", sent };
  if (error.code === Code.DeadlineExceeded) {
    const why = noAnswerWithin(timeoutMs);
    return sent
      ? { kind: "unknown", why, isTimeout: true }
      : { kind: "unreachable", why: `cannot be reached: it ${why}` };
  }
  if (!sent) return { kind: "unreachable", why: `cannot be reached: ${rootOf(error)}` };
  return { kind: "unknown", why: `did not answer, because the connection broke (${rootOf(error)})` };
}

/** Maps an error response. Only an error in Connect's JSON was sent by the realm; others are from a proxy or similar. */
function answered(error: ConnectError, contentType: string, { instance, nowMs }: FailedCall): CallFailure {
  if (!contentType.startsWith("application/json")) return noRealmApi(`${error.rawMessage}, ${contentType}`);
  // A realm always sends a message; a gateway's JSON has another form.
  if (error.rawMessage === "")
    return { kind: "unknown", why: "did not answer: its gateway answered without a message" };
  const realmError = new ConnectError(error.rawMessage, error.code);
  realmError.details = error.details;
  return failureFrom(realmError, { instance, nowMs, isShared: false });
}

/** [FD27] Maps an HTTP error: a gateway may have passed the call on, unless it says that it has no server (503). */
function answeredByProxy(status: number, contentType: string): CallFailure {
  if (status >= 500 && status !== 503)
    return { kind: "unknown", why: `did not answer: its gateway answered HTTP ${status}` };
  return noRealmApi(`HTTP ${status}, ${contentType}`);
}

const noRealmApi = (what: string): CallFailure => ({
  kind: "unreachable",
  why: `has no realm's API at its url: ${what}`,
});

function rootOf(error: Error): string {
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return cause instanceof Error && cause !== error ? rootOf(cause) : error.message;
}
