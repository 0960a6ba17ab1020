import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ReachedAgentSchema } from "@realmwatch/proto/svc/v1/realm_pb";
import type { DocumentChange } from "@realmwatch/shared/config/diff/document-change";
import { never } from "@realmwatch/shared/model/never";
import type { Result } from "@realmwatch/shared/model/result";
import type { NatsRpcRequest } from "@realmwatch/shared/wire/nats/nats-rpc";

/** Call of a realm's API. */
export type RealmCall = Pick<NatsRpcRequest, "requestId" | "timeoutMs"> & {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /**
   * Key by which the realm recognises a repeat of a command. A call without one, such as a query, is sent
   * once.
   */
  readonly idempotencyKey?: string | undefined;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal;
};

/** Process of an agent. */
export type AgentProcess = {
  /** Empty when it is unknown. */
  readonly instance: string;
  /**
   * Its start on this process' monotonic clock, ms; undefined when unknown. The true start is earlier, by at most the
   * least delay of its messages, so that a deadline that is computed from it is never too late.
   */
  readonly startedMs: number | undefined;
};

/** One attempt of a call. */
export type RealmCallAttempt = RealmCall & {
  /** Process that is called. */
  readonly instance: string;
  /** Deadline on the monotonic clock of that process, ms since its start; undefined when its start is unknown. */
  readonly deadlineUptimeMs: number | undefined;
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
  /** Another agent than the called one has refused the call, with an error that names it. */
  | {
      readonly kind: "other_agent";
      readonly error: ConnectError;
      readonly realm: string;
      readonly agent: AgentProcess;
      /** The called process has ended, and that agent uses its data directory. */
      readonly isSuccessor: boolean;
      /** The called process may have received the call too, as all agents of a realm do over NATS. */
      readonly isShared: boolean;
    }
  /** The realm surely did not receive the call; `why` continues a sentence that begins with the realm. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** The realm may have received and executed the call. */
  | { readonly kind: "unknown"; readonly why: string; readonly isTimeout?: boolean }
  /** The caller has disconnected, or the aggregator shuts down. `sent`: the realm may have received the call. */
  | { readonly kind: "canceled"; readonly sent: boolean }
  /** The aggregator shuts down and no longer waits. */
  | { readonly kind: "shutting_down"; readonly sent: boolean };

export type RefusedByOther = Extract<CallFailure, { kind: "other_agent" }>;

/** Client of one realm. `call` never rejects. */
export type RealmCaller = {
  call(call: RealmCallAttempt): Promise<Result<RealmAnswer, CallFailure>>;
  close(): void;
};

/** Attempt whose answer is an error: the called process, whether others share the call, and the monotonic time now. */
type AnsweredAttempt = { readonly instance: string; readonly isShared: boolean; readonly nowMs: number };

/** Failure from an error that an agent has answered. */
export function failureFrom(error: ConnectError, { instance: called, isShared, nowMs }: AnsweredAttempt): CallFailure {
  const [reached] = error.code === Code.FailedPrecondition ? error.findDetails(ReachedAgentSchema) : [];
  if (reached === undefined) return { kind: "refused", error };
  const { realm, instance, uptimeMs, previousInstance } = reached;
  const isSuccessor = previousInstance !== "" && previousInstance === called;
  const agent = { instance, startedMs: nowMs - Number(uptimeMs) };
  return { kind: "other_agent", error, realm, agent, isSuccessor, isShared: isShared && !isSuccessor };
}

/** [FD26, FD27] Error that the aggregator's caller receives. */
export function connectErrorOf(realm: string, failure: CallFailure): ConnectError {
  const name = `realm ${JSON.stringify(realm)}`;
  switch (failure.kind) {
    case "refused":
    case "other_agent":
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
    default:
      return never(failure);
  }
}

const unknownOutcome = (what: string): ConnectError =>
  new ConnectError(`${what}: the outcome is unknown`, Code.DeadlineExceeded);

/** Reason of a call without an answer in time, as the predicate of a sentence. */
export const noAnswerWithin = (timeoutMs: number): string =>
  `did not answer within ${Math.round(timeoutMs / 100) / 10} s`;
