import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { createCursorTable, endNames } from "./cursor-table.ts";
import { journalFile, restoredCopyFile } from "./journal-files.ts";

/** Name of a complete, checked and synced journal that replaces the one of the data directory. */
const readyFile = `${journalFile}.ready`;

/**
 * Decides that a checked copy replaces the journal of its data directory. From then on each opening of the directory
 * installs it first; before, a crash leaves the old journal.
 */
export function decideInstallation(dataDir: string, checkedFile: string): void {
  syncPath(checkedFile);
  failpoint("before-snapshot");
  renameSync(checkedFile, join(dataDir, readyFile));
  syncPath(dataDir);
  failpoint("snapshot-decided");
}

/**
 * Installs the copy that was decided on; does nothing without one. Can be repeated after a crash at any point, because
 * the copy is moved last.
 *
 * @param cursors database of the cursors, whose lock is held. What it notes of the old journal is dropped
 */
export function finishInstallation(dataDir: string, cursors: DatabaseSync): void {
  const ready = join(dataDir, readyFile);
  if (!existsSync(ready)) return;
  const ends = readEnds(ready);
  createCursorTable(cursors);
  cursors.exec("BEGIN IMMEDIATE; DELETE FROM cursor");
  const put = cursors.prepare("INSERT INTO cursor (name, seq) VALUES (?, ?)");
  for (const [name, seq] of ends) put.run(name, seq);
  // The notes must be on the disk before the new journal is: they would tell of a loss.
  cursors.exec("COMMIT; PRAGMA wal_checkpoint(FULL)");
  failpoint("cursors-dropped");
  const path = join(dataDir, journalFile);
  // A log that is left of the old journal would be taken for that of the new one.
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  // It is about the old journal.
  rmSync(join(dataDir, restoredCopyFile), { force: true });
  syncPath(dataDir);
  failpoint("log-removed");
  renameSync(ready, path);
  syncPath(dataDir);
  failpoint("snapshot-installed");
}

function readEnds(path: string): (readonly [name: string, seq: number])[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
    const numberOf = (name: string): number => Number.parseInt(String(meta.get(name)?.value ?? 0), 10);
    return [
      [endNames.history, numberOf("last_history")],
      [endNames.commands, numberOf("last_command")],
      // Sequence number and hash.
      [endNames.audit, numberOf("audit_head")],
    ];
  } finally {
    db.close();
  }
}

function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
