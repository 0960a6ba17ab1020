import { malformed, type Refusal } from "./refusal.ts";
import { ok, type Result } from "./result.ts";

/** Header by which the caller of a command names it, so that a repeat is recognised. */
export const idempotencyKeyHeader = "idempotency-key";
/** Header with the number of objects that a command's target matched, in the response of a realm. */
export const matchedObjectsHeader = "x-realmwatch-matched";

/** Header of forwarded calls with the name of the realm that is called. */
export const realmHeader = "x-realmwatch-realm";
/** Header of calls that an aggregator forwards. */
export const forwardedByHeader = "x-realmwatch-forwarded-by";

const keyPattern = /^[\x20-\x7e]{1,128}$/;

/** [FD20] Parses the header's value; undefined when `text` is null, because the call has no such header. */
export function parseIdempotencyKey(text: string | null): Result<string | undefined, Refusal> {
  if (text === null) return ok(undefined);
  return keyPattern.test(text)
    ? ok(text)
    : malformed(idempotencyKeyHeader, "must have 1 to 128 printable ASCII characters");
}

/** Refusal of a call whose key an earlier call with another request has. */
export const reusedKey: Refusal = {
  kind: "malformed",
  field: idempotencyKeyHeader,
  why: "was used for another request; a new request needs a new key",
};
