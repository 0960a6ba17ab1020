import { Code } from "@connectrpc/connect";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { fail, type Result } from "@realmwatch/shared/model/result";
import {
  type AgentProcess,
  type CallFailure,
  noAnswerWithin,
  type RealmAnswer,
  type RealmCall,
  type RealmCaller,
  type RefusedByOther,
} from "./realm-call.ts";

/** Pause before the first repeat, ms; it doubles up to the longest one. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** Time left, ms, from which on an attempt leaves half of it for another one. */
const splitFromMs = 1_000;

type RepeatOptions = {
  readonly caller: RealmCaller;
  readonly clock: Clock;
  /** Agent to call next, after the last refusal by another agent of the realm. */
  readonly calledAgent: (realm: string, refusal: RefusedByOther | undefined) => AgentProcess;
};

/**
 * [FD28] Calls a realm until the outcome is known or the timeout has passed. Only a call with an idempotency key is
 * repeated after an attempt that the realm may have received. [FD86] Any call is repeated after one that another agent
 * of the realm has refused, because the followed agent may have a successor.
 */
export async function callUntilKnown(
  call: RealmCall & { readonly realm: string },
  { caller, clock, calledAgent }: RepeatOptions,
): Promise<Result<RealmAnswer, CallFailure>> {
  const endMs = clock.monotonic() + call.timeoutMs;
  const hasKey = call.idempotencyKey !== undefined;
  let lost: UnknownOutcome | undefined;
  let refusal: RefusedByOther | undefined;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const leftMs = endMs - clock.monotonic();
    const timeoutMs = Math.max(1, Math.floor(hasKey && leftMs >= splitFromMs ? leftMs / 2 : leftMs));
    const { instance, startedMs } = calledAgent(call.realm, refusal);
    // [FD25] The realm executes no call later, also one that it receives late.
    const deadlineUptimeMs = startedMs === undefined ? undefined : endMs - startedMs;
    const result = await caller.call({ ...call, timeoutMs, instance, deadlineUptimeMs });
    if (isConclusive(result, { realm: call.realm, isRepeat: lost !== undefined })) return result;
    if (!result.ok && result.error.kind === "canceled") return fail({ kind: "canceled", sent: true });
    if (!result.ok && result.error.kind === "unknown") lost = result.error;
    const refused = !result.ok && result.error.kind === "other_agent" ? result.error : undefined;
    refusal = refused ?? refusal;
    if (refused?.isShared)
      lost ??= { kind: "unknown", why: "did not answer: another agent of it has refused the call" };
    if ((!hasKey && refused === undefined) || endMs - clock.monotonic() <= pauseMs)
      return fail(lost === undefined && refused ? refused : reported(lost, call.timeoutMs));
    if (!refused?.isSuccessor) await sleep(clock, pauseMs, call.signal);
    if (call.signal.aborted) return fail({ kind: "canceled", sent: true });
  }
}

type UnknownOutcome = Extract<CallFailure, { kind: "unknown" }>;

/**
 * Returns whether a result answers the call. After a lost attempt only an answer that the realm found by the key does:
 * a realm that cannot be reached, or that cannot look the key up, says nothing about that attempt. The agent of another
 * realm does not become the right one by waiting.
 */
function isConclusive(
  result: Result<RealmAnswer, CallFailure>,
  { realm, isRepeat }: { readonly realm: string; readonly isRepeat: boolean },
): boolean {
  if (result.ok) return true;
  const { error: failure } = result;
  if (failure.kind === "unknown") return false;
  if (failure.kind === "other_agent") return !isRepeat && failure.realm !== realm;
  if (!isRepeat) return true;
  return failure.kind === "refused" && !inconclusiveCodes.has(failure.error.code);
}

const inconclusiveCodes: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Canceled]);

/** Failure to report at the end: a time-out names the time of the whole call. */
function reported(lost: UnknownOutcome | undefined, timeoutMs: number): UnknownOutcome {
  const why = noAnswerWithin(timeoutMs);
  return lost === undefined || lost.isTimeout === true ? { kind: "unknown", why } : lost;
}
