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
import {
  firstSchema,
  journalSchemaVersion,
  openEmptyJournal,
  type UpgradeProgress,
  upgradeJournal,
} from "./journal-upgrades.ts";
import { isRowIntact } from "./row-crc.ts";

/** Application id of journals in SQLite files ("RwJ1"). */
const applicationId = 0x52774a31;
/** Largest journal whose history is checked at a start, bytes: reading a larger one would delay the start. */
const maxCheckedBytes = 1024 ** 3;
/** Largest journal whose indexes are compared with their tables, bytes: the comparison takes six times as long. */
const maxComparedBytes = 32 * 1024 ** 2;

/** Tables that are checked completely at each start, by the version that introduced them. */
const smallTables: readonly (readonly [version: number, table: string])[] = [
  [1, "meta"],
  [1, "state"],
  [1, "command"],
  [2, "notification"],
];
/** Tables that may be too large for that. */
const largeTables: typeof smallTables = [
  [1, "history"],
  [2, "audit"],
  [6, "answer"],
];

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
export function openJournalFile(
  { dataDir, realm }: JournalWorkerData,
  onUpgrade?: (progress: UpgradeProgress) => void,
): Result<DatabaseSync, string> {
  const path = join(dataDir, journalFile);
  const damage = findDamageBeforeOpening(path);
  if (damage !== undefined) return fail(formatJournalDamage(path, damage));
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    restrictDatabase(path);
    const refused = prepare(db, { path, realm, onUpgrade });
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

type OpenedFile = {
  readonly path: string;
  readonly realm: string;
  readonly onUpgrade: ((progress: UpgradeProgress) => void) | undefined;
};

function prepare(db: DatabaseSync, { path, realm, onUpgrade }: OpenedFile): string | undefined {
  const version = numberOf(db, "PRAGMA user_version");
  const marked = numberOf(db, "PRAGMA application_id") === applicationId;
  const empty = numberOf(db, "SELECT count(*) FROM sqlite_schema") === 0;
  if (!marked && !empty) return `${path} is not a journal of this program: use another -data-dir`;
  if (version > journalSchemaVersion)
    return `the journal ${path} was written by a newer version (schema ${version}, known is ${journalSchemaVersion}): start that version or use another -data-dir`;
  // FULL: a commit is on the disk when it returns. The size limit truncates the log after a burst.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -32000");
  if (empty) create(db, realm);
  const found = numberOf(db, "PRAGMA user_version");
  if (shapeOf(db) !== expectedShape(found))
    return formatJournalDamage(path, "its tables are not those that this program creates");
  const damagedValue = found < journalSchemaVersion ? undefined : (damageOfMeta(db) ?? damageOfEnds(db));
  if (damagedValue !== undefined) return formatJournalDamage(path, damagedValue);
  const owner = db.prepare("SELECT value FROM meta WHERE name = 'realm'").get()?.value;
  if (owner !== realm)
    return `the journal ${path} belongs to realm "${owner}", not to "${realm}": start it with that -realm or use another -data-dir`;
  // Every record also has a checksum, which is the only check of a history too large to be read at each start.
  const { size } = statSync(path);
  const damage =
    size <= maxComparedBytes
      ? checkTables(db, ["integrity_check"])
      : checkTables(db, [
          ...tablesOf(smallTables, found).map((table) => `integrity_check('${table}')`),
          ...tablesOf(size <= maxCheckedBytes ? largeTables : [], found).map((table) => `quick_check('${table}')`),
        ]);
  if (damage !== "") return formatJournalDamage(path, damage);
  if (found === 4 && hasDeferredEffects(db))
    return `the journal ${path} was written by a version that was killed and has commands applied only in part: start that version once more and stop it with SIGTERM, then start this one`;
  upgradeJournal(db, found, onUpgrade);
  return undefined;
}

/**
 * True when a program of version 4 ended before it wrote the state of commands whose history it had written: this program
 * would apply them a second time.
 */
const hasDeferredEffects = (db: DatabaseSync): boolean =>
  numberOf(db, "SELECT value FROM meta WHERE name = 'recorded'") >
  numberOf(db, "SELECT value FROM meta WHERE name = 'applied'");

/** Creates the tables of version 1. */
function create(db: DatabaseSync, realm: string): void {
  db.exec("BEGIN IMMEDIATE");
  db.exec(firstSchema);
  db.prepare("INSERT INTO meta (name, value) VALUES ('realm', ?)").run(realm);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1; COMMIT`);
}

/** Names of the tables that exist in a version. */
const tablesOf = (tables: typeof smallTables, version: number): string[] =>
  tables.flatMap(([since, table]) => (since <= version ? [table] : []));

/** Runs checks of SQLite and returns the first finding; empty when there is none. */
function checkTables(db: DatabaseSync, checks: readonly string[]): string {
  for (const check of checks) {
    const found = db.prepare(`PRAGMA ${check}`).all();
    const text = found.map((row) => String(Object.values(row)[0])).join("; ");
    if (text !== "ok") return text.slice(0, 300);
  }
  return "";
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

/** Result of `shapeQuery` for a new file of a version. */
function expectedShape(version: number): string {
  const db = openEmptyJournal(version);
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
