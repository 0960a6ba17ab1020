import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { auditTablesSql } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import { chainEndNames, findChainEndDamage } from "@realmwatch/shared/platform/audit-chain/chain-ends";
import { type FolderLock, lockFolder } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { describeSqlError, sqlCodeOf, sqlCodes } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { findDamageBeforeOpening } from "@realmwatch/shared/platform/sqlite/wal-damage";
import { cursorFile, type JournalWorkerData, journalFile } from "../threads/journal-protocol.ts";
import { isRowIntact, rowCrc } from "./row-crc.ts";

/** Raised with each change of the tables; an older program refuses a newer number. */
export const journalSchemaVersion = 4;
/** Marks the file as ours ("RwJ1"). */
const applicationId = 0x52774a31;
/** A journal above this is checked without its history, bytes: reading it all would delay the start. */
const largestChecked = 1024 ** 3;
/** Up to this each index is compared with its table, bytes, which takes six times as long. */
const largestCompared = 32 * 1024 ** 2;

/** The tables of version 1. What came later is in `upgrades`, which new files go through too. */
const schema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE state (id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE command (seq INTEGER PRIMARY KEY, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, type TEXT NOT NULL, ref TEXT,
    json TEXT NOT NULL, crc INTEGER NOT NULL
  );
  CREATE INDEX history_by_time ON history (at_ms, seq);
  CREATE INDEX history_by_type ON history (type, at_ms, seq);
  CREATE INDEX history_by_ref ON history (ref, at_ms, seq);
`;

/** What brings a file from a version to the next one. */
const upgrades: ReadonlyMap<number, string> = new Map([
  [
    1,
    `
  CREATE TABLE notification (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
${auditTablesSql}`,
  ],
  [2, "ALTER TABLE meta ADD COLUMN crc INTEGER; UPDATE meta SET crc = row_crc(value, name)"],
  // The same tables. Commands stay until all states have them: an earlier program would apply them to those twice.
  [3, ""],
]);
/** The tables that are read whole at a start, by the version that brought them. */
const small: readonly (readonly [version: number, table: string])[] = [
  [1, "meta"],
  [1, "state"],
  [1, "command"],
  [2, "notification"],
];
/** Those that may be too long for that. */
const long: typeof small = [
  [1, "history"],
  [2, "audit"],
];

/** Takes the data directory for this process, for as long as the answer stays open. The cursors live in the same file. */
export function lockDataDir(dataDir: string): Result<FolderLock, string> {
  const taken = lockFolder({ dataDir, lockFile: cursorFile, files: [journalFile] });
  if (taken.ok)
    taken.value.database.exec(
      "CREATE TABLE IF NOT EXISTS cursor (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
    );
  return taken;
}

/** Opens the journal for writing, making it where it is new. Call it with the data directory locked. */
export function openJournalFile({ dataDir, realm }: JournalWorkerData): Result<DatabaseSync, string> {
  const path = join(dataDir, journalFile);
  const damage = findDamageBeforeOpening(path);
  if (damage !== undefined) return fail(formatJournalDamage(path, damage));
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    const refused = prepare(db, { path, realm });
    if (refused === undefined) return ok(db);
    db.close();
    return fail(refused);
  } catch (error) {
    const code = sqlCodeOf(error);
    if (code === sqlCodes.notADatabase || code === sqlCodes.corrupt) return fail(formatJournalDamage(path, describeSqlError(error)));
    return fail(`cannot open the journal ${path}: ${describeSqlError(error)}`);
  }
}

/** Opens the journal for reading, beside its writer. Throws where it cannot. */
export function openJournalForReading(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(join(dataDir, journalFile), { readOnly: true, timeout: 5_000 });
  db.exec("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000");
  return db;
}

function prepare(db: DatabaseSync, { path, realm }: { path: string; realm: string }): string | undefined {
  const version = numberOf(db, "PRAGMA user_version");
  const marked = numberOf(db, "PRAGMA application_id") === applicationId;
  const empty = numberOf(db, "SELECT count(*) FROM sqlite_schema") === 0;
  if (!marked && !empty) return `${path} is no journal of this program: use another -data-dir`;
  if (version > journalSchemaVersion)
    return `the journal ${path} was written by a newer version (schema ${version}, known is ${journalSchemaVersion}): start that version or use another -data-dir`;
  // FULL: a commit is on the disk when it returns. The log is cut back where a burst made it large.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -32000");
  if (empty) create(db, realm);
  const found = numberOf(db, "PRAGMA user_version");
  if (shapeOf(db) !== expectedShape(found)) return formatJournalDamage(path, "its tables are not those that this program makes");
  const damagedValue = found < journalSchemaVersion ? undefined : (damageOfMeta(db) ?? damageOfEnds(db));
  if (damagedValue !== undefined) return formatJournalDamage(path, damagedValue);
  const owner = db.prepare("SELECT value FROM meta WHERE name = 'realm'").get()?.value;
  if (owner !== realm)
    return `the journal ${path} belongs to realm "${owner}", not to "${realm}": start it with that -realm or use another -data-dir`;
  // Every record has a checksum besides: of a history too long to look through at each start that has to do.
  const { size } = statSync(path);
  const damage =
    size <= largestCompared
      ? checkTables(db, ["integrity_check"])
      : checkTables(db, [
          ...namesOf(small, found).map((table) => `integrity_check('${table}')`),
          ...namesOf(size <= largestChecked ? long : [], found).map((table) => `quick_check('${table}')`),
        ]);
  if (damage !== "") return formatJournalDamage(path, damage);
  upgrade(db, found);
  return undefined;
}

/** Step by step to the present version, all or nothing. A kill in between leaves the file as it was. */
function upgrade(db: DatabaseSync, from: number): void {
  if (from === journalSchemaVersion) return;
  nameRowCrc(db);
  db.exec("BEGIN IMMEDIATE");
  for (let version = from; version < journalSchemaVersion; version++) db.exec(upgrades.get(version) ?? "");
  db.exec(`PRAGMA user_version = ${journalSchemaVersion}; COMMIT`);
}

/** Makes a file of version 1. */
function create(db: DatabaseSync, realm: string): void {
  db.exec("BEGIN IMMEDIATE");
  db.exec(schema);
  db.prepare("INSERT INTO meta (name, value) VALUES ('realm', ?)").run(realm);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1; COMMIT`);
}

/** Those that there are in a version. */
const namesOf = (tables: typeof small, version: number): string[] =>
  tables.flatMap(([since, table]) => (since <= version ? [table] : []));

/** What SQLite's own checks say; empty where all is sound. */
function checkTables(db: DatabaseSync, checks: readonly string[]): string {
  for (const check of checks) {
    const found = db.prepare(`PRAGMA ${check}`).all();
    const text = found.map((row) => String(Object.values(row)[0])).join("; ");
    if (text !== "ok") return text.slice(0, 300);
  }
  return "";
}

/**
 * Tables, columns and indexes as SQLite understands them, which believes a file whatever it says. Not the statements
 * themselves: another SQLite may word them otherwise.
 */
const shapeQuery = `
  SELECT name, type, wr,
    (SELECT json_group_array(json_array(name, type, "notnull", pk)) FROM pragma_table_info(own.name)) AS columns,
    (SELECT json_group_array(json_array(name, "unique", partial,
        (SELECT json_group_array(name) FROM pragma_index_info(held.name))))
      FROM (SELECT * FROM pragma_index_list(own.name) ORDER BY name) AS held) AS indexes
  FROM pragma_table_list AS own WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name`;
const shapeOf = (db: DatabaseSync): string => JSON.stringify(db.prepare(shapeQuery).all());

/** As above, of a new file of a version. */
function expectedShape(version: number): string {
  const db = new DatabaseSync(":memory:");
  nameRowCrc(db);
  db.exec(schema);
  for (let from = 1; from < version; from++) db.exec(upgrades.get(from) ?? "");
  const shape = shapeOf(db);
  db.close();
  return shape;
}

const nameRowCrc = (db: DatabaseSync): void =>
  db.function("row_crc", { deterministic: true }, (text, name) => rowCrc(String(text), String(name)));

/** The single values have a checksum each; the chain itself proves what is noted of the audit. */
function damageOfMeta(db: DatabaseSync): string | undefined {
  const rows = db.prepare("SELECT name, value, crc FROM meta").all();
  const isBad = ({ name, value, crc }: (typeof rows)[number]): boolean =>
    !chainEndNames.includes(String(name)) && !isRowIntact(crc, String(value), String(name));
  const bad = rows.find(isBad);
  return bad && `its value "${bad.name}" is damaged`;
}

/** Where the numbers end has to be where the tables end. */
function damageOfEnds(db: DatabaseSync): string | undefined {
  const last = numberOf(db, "SELECT max(seq) FROM history");
  const noted = numberOf(db, "SELECT value FROM meta WHERE name = 'last_history'");
  if (last !== 0 && last !== noted) return `its last history record is ${last} and should be ${noted}`;
  const command = numberOf(db, "SELECT max(seq) FROM command");
  const given = numberOf(db, "SELECT value FROM meta WHERE name = 'last_command'");
  if (command > given) return `its last command is ${command} and should be ${given} at most`;
  return findChainEndDamage(db);
}

export const formatJournalDamage = (path: string, what: string): string =>
  `the journal ${path} is damaged (${what}): restore it from a backup, or move it away to start anew`;

const numberOf = (db: DatabaseSync, sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
