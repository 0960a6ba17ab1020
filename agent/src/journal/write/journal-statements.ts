import type { DatabaseSync } from "node:sqlite";
import { createCursorTable, endNames } from "../schema/cursor-table.ts";

/** Statements of the journal's writer. Creates the table of the cursors when it is missing. */
export function journalStatements(db: DatabaseSync, cursorDb: DatabaseSync) {
  createCursorTable(cursorDb);
  return {
    meta: db.prepare("SELECT value FROM meta WHERE name = ?"),
    putMeta: db.prepare("INSERT OR REPLACE INTO meta (name, value, crc) VALUES (?, ?, ?)"),
    putState: db.prepare(
      "INSERT INTO state (ref, json, crc) VALUES (?, ?, ?) ON CONFLICT (ref) DO UPDATE SET json = excluded.json, crc = excluded.crc",
    ),
    deleteState: db.prepare("DELETE FROM state WHERE ref = ?"),
    states: db.prepare("SELECT id, ref, json, crc FROM state WHERE id > ? ORDER BY id LIMIT ?"),
    addCommand: db.prepare("INSERT INTO command (seq, json, crc) VALUES (?, ?, ?)"),
    deleteCommands: db.prepare("DELETE FROM command WHERE seq <= ?"),
    commands: db.prepare("SELECT seq, json, crc FROM command ORDER BY seq"),
    addHistory: db.prepare("INSERT INTO history (seq, at_ms, type, ref, json, crc) VALUES (?, ?, ?, ?, ?, ?)"),
    // A batch that was stored although its response was lost is appended again: its notifications keep their order.
    addNotification: db.prepare(
      "INSERT INTO notification (id, json, crc) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json, crc = excluded.crc",
    ),
    deleteNotification: db.prepare("DELETE FROM notification WHERE id = ?"),
    notifications: db.prepare("SELECT id, json, crc FROM notification ORDER BY seq"),
    trim: db.prepare(
      "DELETE FROM history WHERE seq IN (SELECT seq FROM history WHERE at_ms < ? ORDER BY at_ms LIMIT ?)",
    ),
    storeEnds: cursorDb.prepare(
      `INSERT INTO cursor (name, seq) VALUES ('${endNames.history}', ?), ('${endNames.commands}', ?), ('${endNames.audit}', ?)
        ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`,
    ),
    cursors: cursorDb.prepare("SELECT name, seq FROM cursor"),
    putCursor: cursorDb.prepare(
      "INSERT INTO cursor (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq",
    ),
  };
}
