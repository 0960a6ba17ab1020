import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../error-text.ts";

/** SQLite's primary result codes that are handled. */
export const sqlCodes = {
  /** Also an error in a statement, such as a missing table. */
  statement: 1,
  busy: 5,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** Primary result code of a node:sqlite error; 0 for any other error. */
export const sqlCodeOf = (error: unknown): number =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;

/**
 * Describes the cause of an SQLite error for the operator.
 *
 * @param folder the database's folder. SQLite does not report why a write failed, so a test file is written there.
 */
export function describeSqlError(error: unknown, folder?: string): string {
  switch (sqlCodeOf(error)) {
    case sqlCodes.full:
      return "the disk is full";
    case sqlCodes.readOnly:
      return "the disk is read-only";
    case sqlCodes.cannotOpen:
      return "the file cannot be opened: does the directory exist, and may this user write to it?";
    case sqlCodes.io:
      return (folder && findWriteError(folder)) ?? `input/output error: ${errorText(error)}`;
    default:
      return errorText(error);
  }
}

/** Writes a small file into a folder. Returns why that fails; undefined on success or for an unlisted error. */
function findWriteError(folder: string): string | undefined {
  const path = join(folder, "write-test");
  try {
    const file = openSync(path, "w", 0o600);
    try {
      writeSync(file, Buffer.alloc(4096));
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
    return undefined;
  } catch (error) {
    return writeErrors.get((error as NodeJS.ErrnoException).code ?? "");
  }
}

const writeErrors: ReadonlyMap<string, string> = new Map([
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota of this user is used up"],
]);
