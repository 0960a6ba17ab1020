import { fail } from "@realmwatch/shared/model/result";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";

/** Exit of a sub-command with an invalid command line: one line and code 2. */
export const subCommandUsageError = (message: string): { readonly ok: false; readonly error: ProgramExit } =>
  fail({ code: 2, lines: [`realmwatch-aggregator: ${message}`] });
