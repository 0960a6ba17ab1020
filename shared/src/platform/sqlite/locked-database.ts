import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "../../model/result.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { restrictDatabase } from "./private-database.ts";
import { describeSqlError, sqlCodeOf, sqlCodes } from "./sqlite-errors.ts";
import { findDamageBeforeOpening } from "./wal-damage.ts";

/** Kind of a database that has a data directory for itself. */
export type DatabaseKind = {
  /** Name in sentences, such as `audit log`. */
  readonly name: string;
  readonly file: string;
  readonly lockFile: string;
  /** SQLite application id that identifies the file. */
  readonly applicationId: number;
  /** Version of the tables and of what is in them; a newer file is refused. */
  readonly version: number;
  /** Statements that create the tables. */
  readonly tables: string;
  /** Statements that lead from a version to the next one, by the earlier one. A version without them needs none. */
  readonly upgrades?: Readonly<Record<number, string>>;
};

type OpeningSteps<T> = {
  /** Runs before the database is opened. Throws when it fails. */
  enter?(folder: FolderLock): void;
  /** Fills new tables, in the transaction that creates them. */
  create?(db: DatabaseSync): void;
  /** Checks the tables. Returns a sentence that refuses the file, or undefined. */
  check(db: DatabaseSync, path: string): string | undefined;
  /** Makes the result from the intact database. */
  use(db: DatabaseSync, folder: FolderLock): T;
};

/**
 * Locks a data directory for this process and opens its database for durable writes. A missing one is created. Returns
 * what `use` makes of it, or a sentence that says why the directory is refused and what to do.
 */
export function openLockedDatabase<T>(dataDir: string, kind: DatabaseKind, steps: OpeningSteps<T>): Result<T, string> {
  const folder = lockFolder({ dataDir, lockFile: kind.lockFile, files: [kind.file] });
  if (!folder.ok) return folder;
  const path = join(dataDir, kind.file);
  let db: DatabaseSync | undefined;
  let refused: string;
  try {
    steps.enter?.(folder.value);
    const damage = findDamageBeforeOpening(path);
    if (damage === undefined) {
      db = new DatabaseSync(path, { timeout: 5_000 });
      restrictDatabase(path);
      const why = prepare(db, path, kind, steps);
      if (why === undefined) return ok(steps.use(db, folder.value));
      refused = why;
    } else refused = formatDatabaseDamage(kind, path, damage);
  } catch (error) {
    refused = describeFailure(kind, path, error);
  }
  db?.close();
  folder.value.release();
  return fail(refused);
}

function prepare(
  db: DatabaseSync,
  path: string,
  { name, applicationId, version, tables, upgrades = {} }: DatabaseKind,
  { create, check }: Pick<OpeningSteps<unknown>, "create" | "check">,
): string | undefined {
  const numberOf = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  const isEmpty = numberOf("SELECT count(*) FROM sqlite_schema") === 0;
  if (!isEmpty && numberOf("PRAGMA application_id") !== applicationId)
    return `${path} is not ${/^[aeiou]/.test(name) ? "an" : "a"} ${name} of this program: use another -data-dir`;
  const found = numberOf("PRAGMA user_version");
  if (found > version)
    return `the ${name} ${path} was written by a newer version (schema ${found}, known is ${version}): start that version or use another -data-dir`;
  // FULL: a commit is on the disk when it returns. The size limit truncates the log after a burst.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA journal_size_limit = 67108864");
  if (isEmpty) {
    db.exec("BEGIN IMMEDIATE");
    db.exec(tables);
    create?.(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}; COMMIT`);
  } else if (found < version) {
    db.exec("BEGIN IMMEDIATE");
    for (let from = found; from < version; from++) db.exec(upgrades[from] ?? "");
    db.exec(`PRAGMA user_version = ${version}; COMMIT`);
  }
  return check(db, path);
}

/** Statements that do not fit the tables show damage too: other tables would be of a newer version. */
function describeFailure(kind: DatabaseKind, path: string, error: unknown): string {
  const why = describeSqlError(error);
  const damageCodes: readonly number[] = [sqlCodes.statement, sqlCodes.corrupt, sqlCodes.notADatabase];
  return damageCodes.includes(sqlCodeOf(error))
    ? formatDatabaseDamage(kind, path, why)
    : `cannot open the ${kind.name} ${path}: ${why}`;
}

/** Says that a file is damaged, and what to do about it. */
export const formatDatabaseDamage = ({ name }: Pick<DatabaseKind, "name">, path: string, what: string): string =>
  `the ${name} ${path} is damaged (${what}): restore it from a backup, or move it away to start with an empty one`;
