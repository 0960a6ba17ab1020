import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Result } from "@realmwatch/shared/model/result";

/** One call of a realm's API. */
export type RealmCall = {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** Names the call in both audits. */
  readonly requestId: string;
  /** How long an answer is waited for, ms. */
  readonly timeoutMs: number;
  /** Aborts where the caller went away. */
  readonly signal: AbortSignal;
};

/** Why there is no response. */
export type CallFailure =
  /** The realm's own word: goes to the caller as it is. */
  | { readonly kind: "refused"; readonly error: ConnectError }
  /** The realm did not get the call, or nobody can tell; `why` continues a sentence that names the realm. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** The realm may have got the call and may have done it. */
  | { readonly kind: "unknown"; readonly why: string }
  /** The caller went away. */
  | { readonly kind: "canceled" }
  /** The aggregator ends and waits no longer. */
  | { readonly kind: "given_up" };

/** A way to one realm. Never rejects. */
export type RealmCaller = {
  call(call: RealmCall): Promise<Result<Message, CallFailure>>;
  close(): void;
};

/** The failure as the aggregator's caller sees it. */
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
      return new ConnectError("the caller went away", Code.Canceled);
    case "given_up":
      return new ConnectError(
        `${name} has not answered, and this aggregator ends: whether it took the call is unknown`,
        Code.Unavailable,
      );
  }
}
