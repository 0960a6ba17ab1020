import { Code, ConnectError } from "@connectrpc/connect";
import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { type Refusal, formatRefusal } from "../../model/refusal.ts";

const codes: Readonly<Record<Refusal["kind"], Code>> = {
  malformed: Code.InvalidArgument,
  missing: Code.NotFound,
  unconfigured: Code.FailedPrecondition,
  exhausted: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  failed: Code.Internal,
  rejected_document: Code.InvalidArgument,
};

/** The one place where a refusal becomes a code. A rejected document carries its diagnostics as a detail too. */
export function toConnectError(refusal: Refusal): ConnectError {
  const details =
    refusal.kind === "rejected_document"
      ? [{ desc: ConfigDiagnosticsSchema, value: { diagnostics: refusal.diagnostics.map((d) => ({ ...d })) } }]
      : [];
  return new ConnectError(formatRefusal(refusal), codes[refusal.kind], undefined, details);
}
