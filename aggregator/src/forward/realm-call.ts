import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { DocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { Result } from "@realmwatch/shared/model/result";

/** Call of a realm's API. */
export type RealmCall = {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** Id of the call in both audit logs. */
  readonly requestId: string;
  /**
   * Key by which the realm recognises a repeat of a command. A call without one is sent once: the reads, and changes of
   * the configuration.
   */
  readonly idempotencyKey?: string | undefined;
  /** Timeout for the answer, ms. */
  readonly timeoutMs: number;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal;
};

/** One attempt of a call. */
export type RealmCallAttempt = RealmCall & {
  /** Instant on the realm's clock after which the realm does not execute the call any more, Unix ms. */
  readonly deadlineAtMs: number;
};

/** Response of a realm. */
export type RealmAnswer = {
  readonly message: Message;
  /** Number of objects that a command's target matched; undefined when the realm does not report it. */
  readonly matched: number | undefined;
  /** Effect of ApplyConfig; undefined for other calls and when the realm does not report it. */
  readonly change?: DocumentChange | undefined;
};

/** Reason why there is no response. */
export type CallFailure =
  /** Error of the realm, returned to the caller unchanged. */
  | { readonly kind: "refused"; readonly error: ConnectError }
  /** The realm surely did not receive the call; `why` continues a sentence that begins with the realm. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** The realm may have received and executed the call. */
  | { readonly kind: "unknown"; readonly why: string; readonly isTimeout?: boolean }
  /** The caller has disconnected, or the aggregator shuts down. `sent`: the realm may have received the call. */
  | { readonly kind: "canceled"; readonly sent: boolean }
  /** The aggregator shuts down and no longer waits. */
  | { readonly kind: "shutting_down"; readonly sent: boolean };

/** Client of one realm. `call` never rejects. */
export type RealmCaller = {
  call(call: RealmCallAttempt): Promise<Result<RealmAnswer, CallFailure>>;
  close(): void;
};

/** [FD26, FD27] Error that the aggregator's caller receives. */
export function connectErrorOf(realm: string, failure: CallFailure): ConnectError {
  const name = `realm ${JSON.stringify(realm)}`;
  switch (failure.kind) {
    case "refused":
      return failure.error;
    case "unreachable":
      return new ConnectError(`${name} ${failure.why}`, Code.Unavailable);
    case "unknown":
      return unknownOutcome(`${name} ${failure.why}`);
    case "canceled":
      return new ConnectError("the caller has disconnected", Code.Canceled);
    case "shutting_down":
      return failure.sent
        ? unknownOutcome(`${name} has not answered, and this aggregator shuts down`)
        : new ConnectError(`${name} was not called, because this aggregator shuts down`, Code.Unavailable);
  }
}

const unknownOutcome = (what: string): ConnectError =>
  new ConnectError(`${what}: the outcome is unknown`, Code.DeadlineExceeded);

/** Reason of a call without an answer in time, as the predicate of a sentence. */
export const noAnswerWithin = (timeoutMs: number): string =>
  `did not answer within ${Math.round(timeoutMs / 100) / 10} s`;
