import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "../words/result.ts";

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

/** Why SQLite failed, for people. */
export function showSqlError(error: unknown): string {
  switch (sqlCodeOf(error)) {
    case sqlCodes.full:
      return "the disk is full";
    case sqlCodes.readOnly:
      return "the disk is read-only";
    case sqlCodes.cannotOpen:
      return "the file cannot be opened: does the directory exist, and may this user write to it?";
    case sqlCodes.io:
      return `input/output error: ${error instanceof Error ? error.message : ""}`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

export type TakenFolder = {
  /** Made with mode 0700 where it is missing. */
  readonly dataDir: string;
  /** A small database in it that is locked for as long as the answer is open. */
  readonly lockFile: string;
  /** Files that have to belong to this process' user where they are there. */
  readonly files: readonly string[];
};

/**
 * Takes a data directory for this process: a file in it is locked by the kernel, so that nothing of the lock outlives
 * a killed process.
 *
 * @returns the database that is the lock; or a sentence: in use, of another user, not writable
 */
export function takeFolder({ dataDir, lockFile, files }: TakenFolder): Result<DatabaseSync, string> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    return fail(`cannot make the data directory ${dataDir}: ${error instanceof Error ? error.message : error}`);
  }
  const foreign = foreignFile(dataDir, [lockFile, ...files]);
  if (foreign !== undefined) return fail(foreign);
  try {
    const db = new DatabaseSync(join(dataDir, lockFile), { timeout: 0 });
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    db.exec("BEGIN IMMEDIATE; COMMIT");
    return ok(db);
  } catch (error) {
    if (sqlCodeOf(error) === sqlCodes.busy)
      return fail(`the data directory ${dataDir} is in use by another process: stop that one or use another -data-dir`);
    return fail(`cannot use the data directory ${dataDir}: ${showSqlError(error)}`);
  }
}

/**
 * Root could write to another user's files, and would leave some of its own among them that this user cannot open. The
 * directory itself may be anybody's: volumes of containers are.
 */
function foreignFile(dataDir: string, files: readonly string[]): string | undefined {
  const own = process.geteuid?.();
  for (const file of files) {
    const owner = statSync(join(dataDir, file), { throwIfNoEntry: false })?.uid;
    if (own === undefined || owner === undefined || owner === own) continue;
    return `${join(dataDir, file)} belongs to user ${owner}, and this program runs as user ${own}: run it as that user, or give the data directory to this one`;
  }
  return undefined;
}
