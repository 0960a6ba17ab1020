import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Result } from "@realmwatch/shared/model/result";
import { chainEndNames, findChainEndDamage } from "@realmwatch/shared/platform/audit-chain/chain-ends";
import type { FolderLock } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { formatDatabaseDamage, openLockedDatabase } from "@realmwatch/shared/platform/sqlite/locked-database";
import type { JournalOptions } from "../journal-contract.ts";
import { finishInstallation } from "./install-journal.ts";
import { journalFile } from "./journal-files.ts";
import { journalKind, largeTables, smallTables } from "./journal-tables.ts";
import { isRowIntact, rowCrc } from "./row-crc.ts";
import { isStillVerified } from "./verified-file.ts";

/** Largest journal whose history is checked at a start, bytes: reading a larger one would delay the start. */
const maxCheckedBytes = 1024 ** 3;
/** Largest journal whose indexes are compared with their tables, bytes: the comparison takes six times as long. */
const maxComparedBytes = 32 * 1024 ** 2;

/** Data directory of a journal, and the realm that the journal belongs to. */
export type JournalPlace = Pick<JournalOptions, "dataDir" | "realm" | "verified"> & {
  /** Side of a pair that the journal is opened for; absent without a pair. */
  readonly pair?: "active" | "standby";
};

/**
 * Reserves the data directory and opens its journal for writing; creates it when missing. Returns what `use` makes of it,
 * or a sentence.
 */
export const openJournalFile = <T>(
  { dataDir, realm, verified }: JournalPlace,
  use: (db: DatabaseSync, folder: FolderLock) => T,
): Result<T, string> =>
  openLockedDatabase(dataDir, journalKind, {
    create(db) {
      db.prepare("INSERT INTO meta (name, value, crc) VALUES ('realm', ?, ?)").run(realm, rowCrc(realm, "realm"));
    },
    enter: (folder) => finishInstallation(dataDir, folder.database),
    check: (db, path) => checkJournal(db, path, realm, isStillVerified(path, verified)),
    use,
  });

/** Opens the journal for reading, concurrently with its writer. Throws when it cannot be opened. */
export function openJournalForReading(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(join(dataDir, journalFile), { readOnly: true, timeout: 5_000 });
  db.exec("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000");
  return db;
}

/** Returns a sentence that refuses the journal, if it is damaged or of another realm; undefined otherwise. */
export function checkJournal(db: DatabaseSync, path: string, realm: string, verified: boolean): string | undefined {
  db.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32000");
  if (shapeOf(db) !== expectedShape())
    return formatJournalDamage(path, "its tables are not those that this program creates");
  const damagedValue = damageOfMeta(db) ?? damageOfEnds(db);
  if (damagedValue !== undefined) return formatJournalDamage(path, damagedValue);
  const owner = db.prepare("SELECT value FROM meta WHERE name = 'realm'").get()?.value;
  if (owner !== realm)
    return `the journal ${path} belongs to realm "${owner}", not to "${realm}": start it with that -realm or use another -data-dir`;
  const damage = verified ? undefined : checkTables(db, statSync(path).size);
  return damage === undefined ? undefined : formatJournalDamage(path, damage);
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
  db.exec(journalKind.tables);
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

/** Contradiction between the stored last sequence numbers and the tables; undefined when they agree. */
function damageOfEnds(db: DatabaseSync): string | undefined {
  const numberOf = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  const last = numberOf("SELECT max(seq) FROM history");
  const expected = numberOf("SELECT value FROM meta WHERE name = 'last_history'");
  if (last !== 0 && last !== expected) return `its last history record is ${last} and should be ${expected}`;
  const command = numberOf("SELECT max(seq) FROM command");
  const given = numberOf("SELECT value FROM meta WHERE name = 'last_command'");
  if (command > given) return `its last command is ${command} and should be ${given} at most`;
  return findChainEndDamage(db);
}

export const formatJournalDamage = (path: string, what: string): string =>
  formatDatabaseDamage(journalKind, path, what);
