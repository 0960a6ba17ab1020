import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Result } from "@realmwatch/shared/model/result";

/** Call of a realm's API. */
export type RealmCall = {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** Id of the call in both audit logs. */
  readonly requestId: string;
  /** Timeout for the answer, ms. */
  readonly timeoutMs: number;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal;
};

/** Reason why there is no response. */
export type CallFailure =
  /** Error of the realm, returned to the caller unchanged. */
  | { readonly kind: "refused"; readonly error: ConnectError }
  /** The realm did not receive the call, or that is unknown; `why` continues a sentence that begins with the realm. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** The realm may have received and executed the call. */
  | { readonly kind: "unknown"; readonly why: string }
  /** The caller has disconnected. */
  | { readonly kind: "canceled" }
  /** The aggregator shuts down and no longer waits. */
  | { readonly kind: "shutting_down" };

/** Client of one realm. `call` never rejects. */
export type RealmCaller = {
  call(call: RealmCall): Promise<Result<Message, CallFailure>>;
  close(): void;
};

/** Error that the aggregator's caller receives. */
export function connectErrorOf(realm: string, failure: CallFailure): ConnectError {
  const name = `realm ${JSON.stringify(realm)}`;
  switch (failure.kind) {
    case "refused":
      return failure.error;
    case "unreachable":
      return new ConnectError(`${name} ${failure.why}`, Code.Unavailable);
    case "unknown":
      return new ConnectError(`${name} ${failure.why}: whether it took the call is unknown`, Code.DeadlineExceeded);
    case "canceled":
      return new ConnectError("the caller has disconnected", Code.Canceled);
    case "shutting_down":
      return new ConnectError(
        `${name} has not answered, and this aggregator shuts down: whether it took the call is unknown`,
        Code.Unavailable,
      );
  }
}
