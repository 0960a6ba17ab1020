import { auditTablesSql } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { DatabaseKind } from "@realmwatch/shared/platform/sqlite/locked-database";
import { cursorFile, journalFile } from "./journal-files.ts";

/** Tables that are checked completely at each start. */
export const smallTables = ["meta", "state", "command", "notification", "alert"] as const;
/** Tables that may be too large for that. */
export const largeTables = ["history", "audit", "answer"] as const;

const alertTable = "alert (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL)";

const tables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value, crc INTEGER) WITHOUT ROWID;
  CREATE TABLE state (id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE command (seq INTEGER PRIMARY KEY, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE notification (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE ${alertTable};
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, type TEXT NOT NULL, ref TEXT,
    json TEXT NOT NULL, crc INTEGER NOT NULL
  );
  CREATE INDEX history_by_time ON history (at_ms, seq);
  CREATE INDEX history_by_type ON history (type, at_ms, seq);
  CREATE INDEX history_by_ref ON history (ref, at_ms, seq);
  CREATE TABLE answer (
    seq INTEGER PRIMARY KEY, identity TEXT NOT NULL, key TEXT NOT NULL, quota TEXT NOT NULL, at_ms INTEGER NOT NULL,
    request TEXT NOT NULL, json TEXT NOT NULL, crc INTEGER NOT NULL, UNIQUE (identity, key)
  );
  CREATE INDEX answer_by_quota ON answer (quota, seq);
  CREATE INDEX answer_by_time ON answer (at_ms, seq);
  ${auditTablesSql}
`;

/** The journal's database. Its version is raised with each change of the tables or of the JSON in them. */
export const journalKind: DatabaseKind = {
  name: "journal",
  file: journalFile,
  lockFile: cursorFile,
  // "RwJ1"
  applicationId: 0x52774a31,
  version: 2,
  tables,
  // Version 1 began without the table.
  upgrades: { 1: `CREATE TABLE IF NOT EXISTS ${alertTable}` },
};
