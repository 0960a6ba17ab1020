import { Code, ConnectError } from "@connectrpc/connect";
import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { formatRefusal, type Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";

const codes: Readonly<Record<Refusal["kind"], Code>> = {
  malformed: Code.InvalidArgument,
  missing: Code.NotFound,
  unmatched: Code.NotFound,
  unconfigured: Code.FailedPrecondition,
  exhausted: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  unanswered: Code.DeadlineExceeded,
  failed: Code.Internal,
  rejected_document: Code.InvalidArgument,
};

/**
 * Converts a refusal to a Connect error; no other code chooses one. A rejected document also has diagnostics as detail.
 */
export function toConnectError(refusal: Refusal): ConnectError {
  const details =
    refusal.kind === "rejected_document"
      ? [{ desc: ConfigDiagnosticsSchema, value: { diagnostics: refusal.diagnostics.map((d) => ({ ...d })) } }]
      : [];
  return new ConnectError(formatRefusal(refusal), codes[refusal.kind], undefined, details);
}

/** Error inside of this program. The caller gets the message, the log the cause. */
export const internalError = (message: string, cause: unknown): ConnectError =>
  new ConnectError(message, Code.Internal, undefined, undefined, cause);

/** Error of a failed call; one that the implementation did not mean to throw is `internal`. */
export const errorOfCall = (thrown: unknown): ConnectError => ConnectError.from(thrown, Code.Internal);

/** Returns the value of a result, or ends the call with the code of its refusal. */
export function valueOrThrow<T>(result: Result<T, Refusal>): T {
  if (result.ok) return result.value;
  throw toConnectError(result.error);
}
