import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** SQLite's primary result codes that matter here. */
export const sqlCodes = {
  busy: 5,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** The primary code of an error of node:sqlite; 0 where it is none. */
export const sqlCodeOf = (error: unknown): number =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;

/**
 * Why SQLite failed, for people.
 *
 * @param folder where it wrote: SQLite does not say why a write failed, so the system is asked by writing there
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
      return (folder && whyNotWritten(folder)) ?? `input/output error: ${error instanceof Error ? error.message : ""}`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** What refuses a small file in a folder; undefined where nothing does, or nothing that has a sentence. */
function whyNotWritten(folder: string): string | undefined {
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
    return refusals.get((error as NodeJS.ErrnoException).code ?? "");
  }
}

const refusals: ReadonlyMap<string, string> = new Map([
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota of this user is used up"],
]);
