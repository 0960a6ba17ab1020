import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import type { RpcFailure } from "../../connection/server-client.ts";
import type { CommandFailure } from "../../output/command-failure.ts";
import { printableText } from "../../output/printable-text.ts";

/**
 * A failed configuration call. Where the server rejected the document, a line a problem, as `-check-config` prints
 * them, with the file's name as the user gave it: the server knows only the name of its own file.
 */
export function configFailure(failure: RpcFailure, file: string): CommandFailure {
  const found = failure.cause?.findDetails(ConfigDiagnosticsSchema) ?? [];
  const diagnostics = found.flatMap(({ diagnostics }) => diagnostics);
  if (diagnostics.length === 0) return failure;
  const lines = diagnostics.map(({ message, line, column }) =>
    formatDiagnostic({ message: printableText(message), file, line, column }),
  );
  return { code: 1, lines };
}
