import { createHash } from "node:crypto";
import { type DescMethodUnary, type Message, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { idempotencyKeyHeader, parseIdempotencyKey } from "@realmwatch/shared/model/idempotency-key";
import type { KeyedCall } from "../journal/command-answer.ts";

/** Call of an RPC that may be repeated. */
type RepeatableRpc = {
  readonly method: DescMethodUnary;
  readonly request: Message;
  readonly context: HandlerContext;
};

/** [FD20] Identity of a call by its idempotency key; undefined without a key. Throws `invalid_argument`. */
export function keyedCallOf(call: RepeatableRpc): KeyedCall | undefined {
  const key = valueOrThrow(parseIdempotencyKey(call.context.requestHeader.get(idempotencyKeyHeader)));
  if (key === undefined) return undefined;
  const identity = callerOf(call.context).identity?.name ?? "";
  return { identity, key, requestHash: hashOf(call) };
}

/** Hash of the method and the request, the same for JSON and protobuf. */
const hashOf = ({ method, request }: RepeatableRpc): string =>
  createHash("sha256").update(`${method.name}\n`).update(toBinary(method.input, request)).digest("base64url");
