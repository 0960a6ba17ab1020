import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "../../model/result.ts";
import { errorText } from "../error-text.ts";
import { createFolder } from "../files/create-folder.ts";
import { restrictDatabase } from "./private-database.ts";
import { describeSqlError, sqlCodeOf, sqlCodes } from "./sqlite-errors.ts";

type FolderLockOptions = {
  /** Created with mode 0700 when it does not exist. */
  readonly dataDir: string;
  /** Small database in the folder that stays locked while the folder is in use. */
  readonly lockFile: string;
  /** Databases in the folder that, if they exist, must belong to the user of this process. */
  readonly files: readonly string[];
};

export type FolderLock = {
  /**
   * The lock's database. Writers of other files in the folder can record their progress in it: a commit survives a
   * killed process, and a power failure can only lose the latest entries.
   */
  readonly database: DatabaseSync;
  /**
   * True when the lock's write-ahead log is missing although the previous process did not shut down cleanly. Recent
   * progress entries are then lost, and the completeness of other files cannot be verified.
   */
  readonly logMissing: boolean;
  /** Releases the folder and marks the shutdown as clean. */
  release(): void;
};

/** Values of the lock's `user_version`: `inUse` from locking the folder until its release. */
const [released, inUse] = [0, 1];
const walHeaderBytes = 32;

/**
 * Locks a data directory for this process. The kernel holds the file lock, so it does not outlive a killed process.
 *
 * @returns the lock; or the reason for failure: in use, owned by another user, not readable or writable
 */
export function lockFolder({ dataDir, lockFile, files }: FolderLockOptions): Result<FolderLock, string> {
  try {
    createFolder(dataDir, 0o700);
  } catch (error) {
    const why = errorText(error);
    return fail(`cannot create the data directory ${dataDir} (${why}): create it, or use another -data-dir`);
  }
  const refused = findAccessProblem(dataDir, [lockFile, ...files]);
  if (refused !== undefined) return fail(refused);
  const path = join(dataDir, lockFile);
  const hadLog = sizeOf(`${path}-wal`) > walHeaderBytes;
  try {
    const lock = new DatabaseSync(path, { timeout: 0 });
    for (const file of [lockFile, ...files]) restrictDatabase(join(dataDir, file));
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    lock.exec("BEGIN IMMEDIATE; COMMIT");
    const logMissing = isMarkedInUse(lock) && !hadLog;
    // Checkpointed into the file itself, so that a later deletion of the log is detected.
    mark(lock, `PRAGMA user_version = ${inUse}; PRAGMA wal_checkpoint(FULL)`);
    return ok({
      database: lock,
      logMissing,
      release() {
        mark(lock, `PRAGMA user_version = ${released}`);
        lock.close();
      },
    });
  } catch (error) {
    if (sqlCodeOf(error) === sqlCodes.busy)
      return fail(`the data directory ${dataDir} is in use by another process: stop that one or use another -data-dir`);
    if (sqlCodeOf(error) === sqlCodes.corrupt || sqlCodeOf(error) === sqlCodes.notADatabase)
      return fail(
        `${path} is damaged (${describeSqlError(error)}): move it and ${lockFile}-wal away; it holds only progress entries`,
      );
    return fail(cannotUse(dataDir, describeSqlError(error, dataDir)));
  }
}

const isMarkedInUse = (lock: DatabaseSync): boolean =>
  lock.prepare("PRAGMA user_version").get()?.["user_version"] === inUse;

function mark(lock: DatabaseSync, sql: string): void {
  try {
    lock.exec(sql);
  } catch {
    // The disk may be full. The mark only helps to detect lost files, so the failure is ignored.
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const cannotUse = (dataDir: string, why: string): string =>
  `cannot use the data directory ${dataDir} (${why}): correct that or use another -data-dir`;

/** Returns why this process cannot or should not use the folder; undefined when it can. */
function findAccessProblem(dataDir: string, databases: readonly string[]): string | undefined {
  const user = process.geteuid?.();
  const { R_OK, W_OK, X_OK } = constants;
  const refused = accessErrorCode(dataDir, R_OK | W_OK | X_OK);
  if (refused === "EROFS") return cannotUse(dataDir, "the disk is read-only");
  if (refused !== undefined)
    return `user ${user} may not write to the data directory ${dataDir} (${ownerOf(dataDir)}): give the directory to that user or use another -data-dir`;
  for (const file of databases.flatMap((name) => [name, `${name}-wal`, `${name}-shm`])) {
    const path = join(dataDir, file);
    const owner = statSync(path, { throwIfNoEntry: false })?.uid;
    if (owner === undefined) continue;
    // Root could write to another user's files, but would create files that the user cannot open. The owner of the
    // directory itself does not matter, since container volumes may have any owner.
    if (user !== undefined && owner !== user)
      return `${path} belongs to user ${owner}, and this program runs as user ${user}: run it as that user, or give the data directory to this one`;
    if (accessErrorCode(path, R_OK | W_OK) !== undefined)
      return `user ${user} may not read and write ${path} (${ownerOf(path)}): set its mode to 0600`;
  }
  return undefined;
}

/** Error code of the access check; undefined when access is allowed. */
function accessErrorCode(path: string, how: number): string | undefined {
  try {
    accessSync(path, how);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

function ownerOf(path: string): string {
  const { uid, mode } = statSync(path);
  return `of user ${uid}, mode ${(mode & 0o7777).toString(8).padStart(4, "0")}`;
}
