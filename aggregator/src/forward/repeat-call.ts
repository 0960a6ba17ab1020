import { Code } from "@connectrpc/connect";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { fail, type Result } from "@realmwatch/shared/model/result";
import {
  type CallFailure,
  noAnswerWithin,
  type RealmAnswer,
  type RealmCallAttempt,
  type RealmCaller,
} from "./realm-call.ts";

/** Pause before the first repeat, ms; it doubles up to the longest one. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Time left, ms, from which on an attempt leaves half of it for another one. */
const splitFromMs = 1_000;

/**
 * [FD28] Calls a realm until the outcome is known or the timeout has passed. Only a call with an idempotency key is
 * repeated, and only after an attempt that the realm may have received.
 */
export async function callUntilKnown(
  call: RealmCallAttempt,
  { caller, clock }: { readonly caller: RealmCaller; readonly clock: Clock },
): Promise<Result<RealmAnswer, CallFailure>> {
  const endMs = clock.monotonic() + call.timeoutMs;
  const isRepeatable = call.idempotencyKey !== undefined;
  let lost: UnknownOutcome | undefined;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const leftMs = endMs - clock.monotonic();
    const timeoutMs = Math.max(1, Math.floor(isRepeatable && leftMs >= splitFromMs ? leftMs / 2 : leftMs));
    const result = await caller.call({ ...call, timeoutMs });
    if (isConclusive(result, lost !== undefined)) return result;
    if (!result.ok && result.error.kind === "canceled") return fail({ kind: "canceled", sent: true });
    if (!result.ok && result.error.kind === "unknown") lost = result.error;
    if (!isRepeatable || endMs - clock.monotonic() <= pauseMs) return fail(reported(lost, call.timeoutMs));
    await sleep(clock, pauseMs, call.signal);
    if (call.signal.aborted) return fail({ kind: "canceled", sent: true });
  }
}

type UnknownOutcome = Extract<CallFailure, { kind: "unknown" }>;

/**
 * Returns whether a result answers the call. After a lost attempt only an answer that the realm found by the key does:
 * a realm that cannot be reached, or that cannot look the key up, says nothing about that attempt.
 */
function isConclusive(result: Result<RealmAnswer, CallFailure>, isRepeat: boolean): boolean {
  if (result.ok) return true;
  const { error: failure } = result;
  if (failure.kind === "unknown") return false;
  if (!isRepeat) return true;
  return failure.kind === "refused" && !inconclusiveCodes.has(failure.error.code);
}

const inconclusiveCodes: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Canceled]);

/** Failure to report at the end: a time-out names the time of the whole call. */
function reported(lost: UnknownOutcome | undefined, timeoutMs: number): UnknownOutcome {
  const why = noAnswerWithin(timeoutMs);
  return lost === undefined || lost.isTimeout === true ? { kind: "unknown", why } : lost;
}
