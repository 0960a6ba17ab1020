import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { showDiagnostic } from "@realmwatch/shared/model/diagnostic";
import type { Failure } from "./failure.ts";
import { plainText } from "./plain-text.ts";
import type { RpcFailure } from "./server.ts";

/**
 * A failed configuration call. Where the server rejected the document, a line a problem, as `-check-config` prints
 * them, with the file's name as the user gave it: the server knows only the name of its own file.
 */
export function configFailure(failure: RpcFailure, file: string): Failure {
  const found = failure.cause?.findDetails(ConfigDiagnosticsSchema) ?? [];
  const diagnostics = found.flatMap(({ diagnostics }) => diagnostics);
  if (diagnostics.length === 0) return failure;
  const lines = diagnostics.map(({ message, line, column }) =>
    showDiagnostic({ message: plainText(message), file, line, column }),
  );
  return { code: 1, lines };
}
