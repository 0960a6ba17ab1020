import { createHash } from "node:crypto";
import type { HandlerContext } from "@connectrpc/connect";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { idempotencyKeyHeader, parseIdempotencyKey } from "@realmwatch/shared/model/idempotency-key";

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
