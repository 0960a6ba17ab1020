import type { QueryAvailabilityRequest } from "@realmwatch/proto/svc/v1/query_pb";
import { malformed, type Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import { timestampFromProto } from "../../wire/fields/time.ts";

/** Longest range of a query: ten years with their leap days, ms. */
const maxRangeMs = 3_653 * 86_400_000;

/**
 * Parses the range of a request. `malformed`: `from` is not before `to`, or the range is longer than ten years.
 *
 * @param defaults `nowMs`: default of `to`; `rangeMs`: length of the range without `from`
 */
export function parseAvailabilityRange(
  { from, to }: Pick<QueryAvailabilityRequest, "from" | "to">,
  defaults: { readonly nowMs: number; readonly rangeMs: number },
): Result<{ readonly fromMs: number; readonly toMs: number }, Refusal> {
  const [givenFrom, givenTo] = [timestampFromProto("from", from), timestampFromProto("to", to)];
  if (!givenFrom.ok) return givenFrom;
  if (!givenTo.ok) return givenTo;
  const toMs = givenTo.value ?? defaults.nowMs;
  const fromMs = givenFrom.value ?? toMs - defaults.rangeMs;
  if (fromMs >= toMs) return malformed("from", "is not before to");
  if (toMs - fromMs > maxRangeMs) return malformed("from", "is more than 10 years before to");
  return ok({ fromMs, toMs });
}
