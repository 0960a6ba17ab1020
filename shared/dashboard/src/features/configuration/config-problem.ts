import { Code, ConnectError } from "@connectrpc/connect";
import { type ConfigDiagnostic, ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { capital } from "@realmwatch/shared/view/capital";

/** Diagnostics of a refused document; undefined when a call failed for another reason. */
export function diagnosticsOf(error: unknown): readonly ConfigDiagnostic[] | undefined {
  const connectError = ConnectError.from(error);
  if (connectError.code !== Code.InvalidArgument) return undefined;
  const found = connectError.findDetails(ConfigDiagnosticsSchema).flatMap(({ diagnostics }) => diagnostics);
  return found.length > 0 ? found : undefined;
}

/** Reason why the configuration of a realm cannot be shown, and the remedy, by the code of the failed call. */
export function explainConfigFailure(error: unknown, realm: string): string | undefined {
  const where = realm === "" ? "this agent" : `realm ${realm}`;
  switch (ConnectError.from(error).code) {
    case Code.PermissionDenied:
      return realm === ""
        ? "Your role does not permit this: it needs admin."
        : `The aggregator's identity in realm ${realm} needs the role admin there.`;
    case Code.Unimplemented:
    case Code.NotFound:
      return `The administration of ${where} is not served: its agent needs -auth-config, and must not be -read-only.`;
    case Code.Internal:
      return (
        `The configuration of ${where} cannot be read as one document. ` +
        "A folder of documents is changed by its files only."
      );
    case Code.Unavailable:
    case Code.DeadlineExceeded:
      return `${capital(where)} gives no answer. Nothing was changed unless an earlier call was accepted.`;
    default:
      return undefined;
  }
}

/** Offset in a text of a line and column, which start at 1; past the end of a line it is the line's end. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + Math.max(0, column - 1), end < 0 ? text.length : end);
}
