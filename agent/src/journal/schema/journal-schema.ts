import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { chainEndNames, findChainEndDamage } from "@realmwatch/shared/platform/audit-chain/chain-ends";
import { type FolderLock, lockFolder } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { restrictDatabase } from "@realmwatch/shared/platform/sqlite/private-database";
import { describeSqlError, sqlCodeOf, sqlCodes } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { findDamageBeforeOpening } from "@realmwatch/shared/platform/sqlite/wal-damage";
import type { JournalWorkerData } from "../threads/journal-protocol.ts";
import { cursorFile, journalFile } from "./journal-files.ts";
import { applicationId, journalTables, journalVersion, largeTables, smallTables } from "./journal-tables.ts";
import { isRowIntact, rowCrc } from "./row-crc.ts";

/** Largest journal whose history is checked at a start, bytes: reading a larger one would delay the start. */
const maxCheckedBytes = 1024 ** 3;
/** Largest journal whose indexes are compared with their tables, bytes: the comparison takes six times as long. */
const maxComparedBytes = 32 * 1024 ** 2;

/** Reserves the data directory for this process until the lock is released. The lock file also holds the cursors. */
export function lockDataDir(dataDir: string): Result<FolderLock, string> {
  const taken = lockFolder({ dataDir, lockFile: cursorFile, files: [journalFile] });
  if (taken.ok)
    taken.value.database.exec(
      "CREATE TABLE IF NOT EXISTS cursor (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
    );
  return taken;
}

/** Opens the journal for writing and creates it when missing. The data directory must be locked. */
export function openJournalFile({ dataDir, realm }: JournalWorkerData): Result<DatabaseSync, string> {
  const path = join(dataDir, journalFile);
  const damage = findDamageBeforeOpening(path);
  if (damage !== undefined) return fail(formatJournalDamage(path, damage));
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    restrictDatabase(path);
    const refused = prepare(db, path, realm);
    if (refused === undefined) return ok(db);
    db.close();
    return fail(refused);
  } catch (error) {
    const code = sqlCodeOf(error);
    if (code === sqlCodes.notADatabase || code === sqlCodes.corrupt)
      return fail(formatJournalDamage(path, describeSqlError(error)));
    return fail(`cannot open the journal ${path}: ${describeSqlError(error)}`);
  }
}

/** Opens the journal for reading, concurrently with its writer. Throws when it cannot be opened. */
export function openJournalForReading(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(join(dataDir, journalFile), { readOnly: true, timeout: 5_000 });
  db.exec("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000");
  return db;
}

/** Checks an opened file, and creates the tables of an empty one. Returns a sentence when the file is refused. */
function prepare(db: DatabaseSync, path: string, realm: string): string | undefined {
  const isMarked = numberOf(db, "PRAGMA application_id") === applicationId;
  const isEmpty = numberOf(db, "SELECT count(*) FROM sqlite_schema") === 0;
  if (!isMarked && !isEmpty) return `${path} is not a journal of this program: use another -data-dir`;
  const version = numberOf(db, "PRAGMA user_version");
  if (version > journalVersion)
    return `the journal ${path} was written by a newer version (schema ${version}, known is ${journalVersion}): start that version or use another -data-dir`;
  // FULL: a commit is on the disk when it returns. The size limit truncates the log after a burst.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -32000");
  if (isEmpty) create(db, realm);
  if (shapeOf(db) !== expectedShape())
    return formatJournalDamage(path, "its tables are not those that this program creates");
  const damagedValue = damageOfMeta(db) ?? damageOfEnds(db);
  if (damagedValue !== undefined) return formatJournalDamage(path, damagedValue);
  const owner = db.prepare("SELECT value FROM meta WHERE name = 'realm'").get()?.value;
  if (owner !== realm)
    return `the journal ${path} belongs to realm "${owner}", not to "${realm}": start it with that -realm or use another -data-dir`;
  const damage = checkTables(db, statSync(path).size);
  return damage === undefined ? undefined : formatJournalDamage(path, damage);
}

function create(db: DatabaseSync, realm: string): void {
  db.exec("BEGIN IMMEDIATE");
  db.exec(journalTables);
  db.prepare("INSERT INTO meta (name, value, crc) VALUES ('realm', ?, ?)").run(realm, rowCrc(realm, "realm"));
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${journalVersion}; COMMIT`);
}

/**
 * First damage that SQLite finds in the tables. A history that is too large to be read at each start is checked by the
 * checksums of its records alone.
 */
function checkTables(db: DatabaseSync, fileBytes: number): string | undefined {
  if (fileBytes <= maxComparedBytes) return findDamage(db, ["integrity_check"]);
  return findDamage(db, [
    ...smallTables.map((table) => `integrity_check('${table}')`),
    ...(fileBytes <= maxCheckedBytes ? largeTables : []).map((table) => `quick_check('${table}')`),
  ]);
}

/** Runs checks of SQLite and returns the first finding. */
function findDamage(db: DatabaseSync, checks: readonly string[]): string | undefined {
  for (const check of checks) {
    const found = db.prepare(`PRAGMA ${check}`).all();
    const text = found.map((row) => String(Object.values(row)[0])).join("; ");
    if (text !== "ok") return text.slice(0, 300);
  }
  return undefined;
}

/**
 * Query for the tables, columns and indexes as SQLite parsed them from the file. The statements are not compared,
 * because another version of SQLite may store them differently.
 */
const shapeQuery = `
  SELECT name, type, wr,
    (SELECT json_group_array(json_array(name, type, "notnull", pk)) FROM pragma_table_info(own.name)) AS columns,
    (SELECT json_group_array(json_array(name, "unique", partial,
        (SELECT json_group_array(name) FROM pragma_index_info(held.name))))
      FROM (SELECT * FROM pragma_index_list(own.name) ORDER BY name) AS held) AS indexes
  FROM pragma_table_list AS own WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name`;
const shapeOf = (db: DatabaseSync): string => JSON.stringify(db.prepare(shapeQuery).all());

/** Result of `shapeQuery` for a new file. */
function expectedShape(): string {
  const db = new DatabaseSync(":memory:");
  db.exec(journalTables);
  const shape = shapeOf(db);
  db.close();
  return shape;
}

/** First value of table `meta` whose checksum is wrong. The chain of the audit verifies its own notes. */
function damageOfMeta(db: DatabaseSync): string | undefined {
  const rows = db.prepare("SELECT name, value, crc FROM meta").all();
  const isDamaged = ({ name, value, crc }: (typeof rows)[number]): boolean =>
    !chainEndNames.includes(String(name)) && !isRowIntact(crc, String(value), String(name));
  const bad = rows.find(isDamaged);
  return bad && `its value "${bad.name}" is damaged`;
}

/** Contradiction between the stored last sequence numbers and the tables; undefined when there is none. */
function damageOfEnds(db: DatabaseSync): string | undefined {
  const last = numberOf(db, "SELECT max(seq) FROM history");
  const expected = numberOf(db, "SELECT value FROM meta WHERE name = 'last_history'");
  if (last !== 0 && last !== expected) return `its last history record is ${last} and should be ${expected}`;
  const command = numberOf(db, "SELECT max(seq) FROM command");
  const given = numberOf(db, "SELECT value FROM meta WHERE name = 'last_command'");
  if (command > given) return `its last command is ${command} and should be ${given} at most`;
  return findChainEndDamage(db);
}

export const formatJournalDamage = (path: string, what: string): string =>
  `the journal ${path} is damaged (${what}): restore it from a backup, or move it away to start with an empty journal`;

const numberOf = (db: DatabaseSync, sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
