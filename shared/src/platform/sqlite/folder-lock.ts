import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "../../model/result.ts";
import { describeSqlError, sqlCodeOf, sqlCodes } from "./sqlite-errors.ts";

export type FolderLockOptions = {
  /** Made with mode 0700 where it is missing. */
  readonly dataDir: string;
  /** A small database in it that is locked for as long as the folder is taken. */
  readonly lockFile: string;
  /** Databases in it that have to belong to this process' user where they are there. */
  readonly files: readonly string[];
};

export type FolderLock = {
  /**
   * The database that is the lock. Whoever writes to another file of the folder may note in here how far it got: what is
   * committed survives a killed process, and after a power cut it is behind at most.
   */
  readonly database: DatabaseSync;
  /**
   * Whether the lock's write-ahead log is missing though the process before did not end in order: with it newer notes
   * are gone, and nothing tells what was in other files.
   */
  readonly logMissing: boolean;
  /** Lets go of the folder, in order. */
  release(): void;
};

/** What the lock says of itself in `user_version`: 1 from taking the folder until letting go of it. */
const [free, taken] = [0, 1];
const walHeaderBytes = 32;

/**
 * Takes a data directory for this process: a file in it is locked by the kernel, so that nothing of the lock outlives
 * a killed process.
 *
 * @returns a sentence where it cannot be had: in use, of another user, not to be read or written
 */
export function lockFolder({ dataDir, lockFile, files }: FolderLockOptions): Result<FolderLock, string> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    return fail(`cannot make the data directory ${dataDir} (${why}): make it, or use another -data-dir`);
  }
  const refused = findAccessProblem(dataDir, [lockFile, ...files]);
  if (refused !== undefined) return fail(refused);
  const path = join(dataDir, lockFile);
  const hadLog = sizeOf(`${path}-wal`) > walHeaderBytes;
  try {
    const lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    lock.exec("BEGIN IMMEDIATE; COMMIT");
    const logMissing = isTaken(lock) && !hadLog;
    // In the file itself, not only in its log: so a log that is deleted later is missed.
    mark(lock, `PRAGMA user_version = ${taken}; PRAGMA wal_checkpoint(FULL)`);
    return ok({
      database: lock,
      logMissing,
      release() {
        mark(lock, `PRAGMA user_version = ${free}`);
        lock.close();
      },
    });
  } catch (error) {
    if (sqlCodeOf(error) === sqlCodes.busy)
      return fail(`the data directory ${dataDir} is in use by another process: stop that one or use another -data-dir`);
    if (sqlCodeOf(error) === sqlCodes.corrupt || sqlCodeOf(error) === sqlCodes.notADatabase)
      return fail(
        `${path} is damaged (${describeSqlError(error)}): move it and ${lockFile}-wal away; only notes are in it`,
      );
    return fail(cannotUse(dataDir, describeSqlError(error, dataDir)));
  }
}

const isTaken = (lock: DatabaseSync): boolean => lock.prepare("PRAGMA user_version").get()?.["user_version"] === taken;

function mark(lock: DatabaseSync, sql: string): void {
  try {
    lock.exec(sql);
  } catch {
    // A full disk: the mark only helps to notice what is missing, and no work has to wait for it.
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const cannotUse = (dataDir: string, why: string): string =>
  `cannot use the data directory ${dataDir} (${why}): set that right or use another -data-dir`;

/** Why this process should leave a folder alone, or has to; undefined where it may have it. */
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
    // Root could write to another user's files, and would leave some of its own among them that this user cannot open.
    // The directory itself may be anybody's: volumes of containers are.
    if (user !== undefined && owner !== user)
      return `${path} belongs to user ${owner}, and this program runs as user ${user}: run it as that user, or give the data directory to this one`;
    if (accessErrorCode(path, R_OK | W_OK) !== undefined)
      return `user ${user} may not read and write ${path} (${ownerOf(path)}): set its mode to 0600`;
  }
  return undefined;
}

/** The system's code where it does not let us; undefined where it does. */
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
