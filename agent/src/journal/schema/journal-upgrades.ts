import { DatabaseSync } from "node:sqlite";
import { auditTablesSql } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { isRowIntact, rowCrc } from "./row-crc.ts";

/** Version of the tables, raised with each change; a program refuses a newer version than its own. */
export const journalSchemaVersion = 8;

/** Progress of an upgrade that rewrites history: `doneRecords` of `records`, equal once the upgrade is durable. */
export type UpgradeProgress = {
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly doneRecords: number;
  readonly records: number;
};

/** Tables of version 1. New files are created with them and then upgraded too. */
export const firstSchema = `
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

/** Statements that change the tables of a version into those of the next one. */
const upgrades: ReadonlyMap<number, string> = new Map([
  [
    1,
    `
  CREATE TABLE notification (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
${auditTablesSql}`,
  ],
  [2, "ALTER TABLE meta ADD COLUMN crc INTEGER; UPDATE meta SET crc = row_crc(value, name)"],
  // The tables are the same. Programs of version 4 wrote the effects of some commands later than those of others.
  [3, ""],
  // The tables are the same. The JSON of states differs: programs of version 4 would lose the notification state.
  [4, ""],
  [
    5,
    `
  CREATE TABLE answer (
    seq INTEGER PRIMARY KEY, identity TEXT NOT NULL, key TEXT NOT NULL, quota TEXT NOT NULL, at_ms INTEGER NOT NULL,
    request TEXT NOT NULL, json TEXT NOT NULL, crc INTEGER NOT NULL, UNIQUE (identity, key)
  );
  CREATE INDEX answer_by_quota ON answer (quota, seq);
  CREATE INDEX answer_by_time ON answer (at_ms, seq);`,
  ],
  // The tables are the same; the history is rewritten below.
  [6, ""],
  // The tables are the same. Programs of version 7 would apply again the commands that now stay for the sinks.
  [7, ""],
]);

/** Key of a history row as `rowCrc` joins it. */
const historyKeySql = (type: string): string =>
  `seq || char(10) || history_number(at_ms) || char(10) || ${type} || char(10) || coalesce(ref, '')`;

/** Last version that recorded a notification when it was decided. */
const decidedNotificationsVersion = 6;
/**
 * Turns records of notifications in a range of sequence numbers into records of decisions. Damaged records stay as they
 * are. The unary plus makes SQLite read the range, not all records of the type for each range.
 */
const rewriteDecisions = `
  UPDATE history SET type = 'notification_queued',
    json = json_set(json, '$.type', 'notification_queued', '$.because.reason', 'decided'),
    crc = row_crc(
      json_set(json, '$.type', 'notification_queued', '$.because.reason', 'decided'),
      ${historyKeySql("'notification_queued'")}
    )
  WHERE seq BETWEEN ? AND ? AND +type = 'notification' AND is_row_intact(crc, json, ${historyKeySql("type")}) = 1`;
/** Records between two reports of the progress. */
const recordsPerReport = 5_000;

/** Upgrades a file to the present version in one transaction; a kill during it leaves the file unchanged. */
export function upgradeJournal(
  db: DatabaseSync,
  fromVersion: number,
  onProgress: (progress: UpgradeProgress) => void = () => {},
): void {
  if (fromVersion === journalSchemaVersion) return;
  defineRowCrc(db);
  db.exec("BEGIN IMMEDIATE");
  applyUpgrades(db, fromVersion, journalSchemaVersion);
  const report = (doneRecords: number, records: number): void =>
    onProgress({ fromVersion, toVersion: journalSchemaVersion, doneRecords, records });
  const records = fromVersion <= decidedNotificationsVersion ? rewriteHistory(db, report) : 0;
  db.exec(`PRAGMA user_version = ${journalSchemaVersion}; COMMIT`);
  if (records > 0) report(records, records);
}

/** Rewrites the history in ranges, each after a report, and returns the number of records. */
function rewriteHistory(db: DatabaseSync, report: (done: number, records: number) => void): number {
  const ends = db.prepare("SELECT min(seq) AS first, max(seq) AS last FROM history").get();
  const [first, last] = [Number(ends?.["first"] ?? 0), Number(ends?.["last"] ?? -1)];
  const rewrite = db.prepare(rewriteDecisions);
  for (let from = first; from <= last; from += recordsPerReport) {
    report(from - first, last - first + 1);
    rewrite.run(from, Math.min(from + recordsPerReport - 1, last));
    failpoint("during-upgrade");
  }
  return last - first + 1;
}

function applyUpgrades(db: DatabaseSync, from: number, to: number): void {
  for (let version = from; version < to; version++) db.exec(upgrades.get(version) ?? "");
}

/** Opens a database in memory with the empty tables of a version. */
export function openEmptyJournal(version: number): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  defineRowCrc(db);
  db.exec(firstSchema);
  applyUpgrades(db, 1, version);
  return db;
}

function defineRowCrc(db: DatabaseSync): void {
  db.function("row_crc", { deterministic: true }, (text, name) => rowCrc(String(text), String(name)));
  db.function("is_row_intact", { deterministic: true }, (crc, text, name) =>
    isRowIntact(crc, String(text), String(name)) ? 1 : 0,
  );
  // SQLite writes a real number that is whole with a fraction, JavaScript without.
  db.function("history_number", { deterministic: true }, (value) => String(value));
}
