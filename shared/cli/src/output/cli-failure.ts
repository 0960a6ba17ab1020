import { fail } from "@realmwatch/shared/model/result";

/** Failure of a command. `lines` are printed on stderr; `code` is the exit code: 2 for wrong usage, 3 for a partial result. */
export type CliFailure = { readonly code: 1 | 2 | 3; readonly lines: readonly string[] };
type Failed = { readonly ok: false; readonly error: CliFailure };

/** Failure of an operation. @param sentence without the program's name */
export const commandFailed = (sentence: string): Failed => fail({ code: 1, lines: [`realmwatch: ${sentence}`] });
/** Wrong usage of a command. @param sentence one line without the program's name */
export const wrongUsage = (sentence: string): Failed => fail({ code: 2, lines: [`realmwatch: ${sentence}`] });
