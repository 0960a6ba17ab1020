import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import type { RpcFailure } from "../../connection/server-call.ts";
import type { CliFailure } from "../../output/cli-failure.ts";
import { printableText } from "../../output/printable-text.ts";

/**
 * Failure of a configuration call. For a rejected document: one line per problem as `-check-config` prints them, with
 * the user's file name, because the server has only the name of its own file.
 */
export function configFailure(failure: RpcFailure, file: string): CliFailure {
  const found = failure.cause?.findDetails(ConfigDiagnosticsSchema) ?? [];
  const diagnostics = found.flatMap(({ diagnostics }) => diagnostics);
  if (diagnostics.length === 0) return failure;
  const lines = diagnostics.map(({ message, line, column }) =>
    formatDiagnostic({ message: printableText(message), file, line, column }),
  );
  return { code: 1, lines };
}
