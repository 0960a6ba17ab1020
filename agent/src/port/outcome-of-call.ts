import type { HandlerContext } from "@connectrpc/connect";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { CallOutcome } from "./port-contract.ts";

/** Time for a call without a deadline, ms. */
const longestMs = 3_600_000;

/** Time that is left for a call, ms. */
export const timeLeftOf = (context: Pick<HandlerContext, "timeoutMs">): number => context.timeoutMs() ?? longestMs;

/** Returns the answer to a call and notes whether it is audited. Throws when the call was not begun in time. */
export function outcomeOrThrow<Answer>(outcome: CallOutcome<Answer>, context: HandlerContext): Answer {
  if (outcome.kind === "expired") {
    context.signal.throwIfAborted();
    throw toConnectError({ kind: "unavailable", what: "the call waited until its time had passed" });
  }
  const audited = auditedRpcOf(context);
  if (outcome.isAudited && audited) audited.recorded = true;
  return outcome.answer;
}
