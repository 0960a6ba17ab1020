import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag, textFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import { agentFlags } from "../../../flags.ts";

/** Flags of the imports that take over states. */
export const retentionFlags = {
  retention: fileFlag(
    "File in which the other system keeps its states: those, downtimes, comments and acknowledgements are taken over.",
  ),
  "data-dir": textFlag("With -retention: data directory of the new agent, which must be empty or new.", "DIR"),
  realm: agentFlags.realm,
} as const satisfies FlagTable;

/** Files of an import of states. */
export type RetentionPaths = { readonly retention: string; readonly dataDir: string };

type GivenPaths = { readonly [Name in keyof RetentionPaths]: string | undefined };

/** Both paths, undefined without any; refuses one of them alone. */
export function retentionPathsOf({ retention, dataDir }: GivenPaths): Result<RetentionPaths | undefined, ProgramExit> {
  if (retention !== undefined && dataDir !== undefined) return ok({ retention, dataDir });
  if (retention === undefined && dataDir === undefined) return ok(undefined);
  const lines = ["realmwatch-agent: -retention and -data-dir need each other: give both or none"];
  return fail({ code: 2, lines });
}
