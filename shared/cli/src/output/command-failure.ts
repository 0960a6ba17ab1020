import { fail } from "@realmwatch/shared/model/result";

/** Why a command did not do what it should. `lines` go to stderr as they are; `code` is 2 where the call was wrong. */
export type CommandFailure = { readonly code: 1 | 2; readonly lines: readonly string[] };
type Failed = { readonly ok: false; readonly error: CommandFailure };

/** Something outside went wrong. @param sentence without the program's name */
export const commandFailed = (sentence: string): Failed => fail({ code: 1, lines: [`realmwatch: ${sentence}`] });
/** The command was called wrongly. @param sentence one line without the program's name */
export const wrongUsage = (sentence: string): Failed => fail({ code: 2, lines: [`realmwatch: ${sentence}`] });
