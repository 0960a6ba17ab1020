import { createHash } from "node:crypto";
import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { idempotencyKeyHeader, parseIdempotencyKey } from "@realmwatch/shared/model/idempotency-key";
import { fail, type Result } from "@realmwatch/shared/model/result";
import { remainingRpcMs } from "@realmwatch/shared/platform/rpc/server-call";
import type { Forwarder } from "../forward/forwarder.ts";
import type { RealmAnswer } from "../forward/realm-call.ts";

export type ForwardingOptions = {
  /** Returns the current forwarder; a reload replaces it. */
  readonly forwarder: () => Forwarder;
  /** Timeout for the answers of realms, ms; a shorter deadline of the caller applies. */
  readonly timeoutMs: number;
  /** Returns an idempotency key for a call without one. */
  readonly mintKey: () => string;
};

/** Call of a realm for a caller of the aggregator. */
export type CallForCaller = {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** Key of the caller or of the aggregator; absent for a query, which is sent once. */
  readonly key?: string;
  readonly timeoutMs: number;
  readonly context: HandlerContext;
};

/** Forwards a call to a realm: a command with its caller as the author. The error is the one that the caller receives. */
export async function forwardForCaller(
  forwarder: Forwarder,
  realm: string,
  { method, message, key, timeoutMs, context }: CallForCaller,
): Promise<Result<RealmAnswer, ConnectError>> {
  const { identity, requestId } = callerOf(context);
  const result = await forwarder.forward(realm, {
    method,
    message: withAuthor(method, message, identity?.name),
    requestId,
    idempotencyKey: key === undefined ? undefined : forwardedKey(context, key),
    timeoutMs,
    signal: context.signal,
  });
  if (result.ok) return result;
  return fail(result.error instanceof ConnectError ? result.error : toConnectError(result.error));
}

/** Sets the author to the authenticated identity, because the author in the request is not verified. */
function withAuthor(method: DescMethodUnary, message: Message, name: string | undefined): Message {
  const hasAuthor = method.input.fields.some((field) => field.localName === "author");
  return name === undefined || !hasAuthor ? message : ({ ...message, author: name } as Message);
}

/** Greatest length of a key. */
const maxKeyLength = 128;

/** [FD20] Returns the idempotency key that the caller sent, undefined for none. Throws `invalid_argument`. */
export function sentKey(context: HandlerContext): string | undefined {
  return valueOrThrow(parseIdempotencyKey(context.requestHeader.get(idempotencyKeyHeader)));
}

/**
 * [FD29] Returns the key under which a realm stores a call. All callers have one identity in the realm, the
 * aggregator's, so the key of an authenticated caller is a hash of the name and the key: callers cannot collide.
 */
export function forwardedKey(context: HandlerContext, key: string): string {
  const { identity } = callerOf(context);
  if (identity === undefined && key.length <= maxKeyLength) return key;
  return createHash("sha256")
    .update(JSON.stringify([identity?.name, key]))
    .digest("base64url");
}

/** Time for the realms, ms: some is left to report the realms that have not answered by then. */
export function timeoutFor(context: HandlerContext, limitMs: number): number {
  const leftMs = remainingRpcMs(context.values) ?? limitMs;
  return Math.min(limitMs, Math.max(leftMs / 2, leftMs - 500));
}
