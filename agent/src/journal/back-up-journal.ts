import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { syncFolder } from "../platform/files/sync-folder.ts";
import { openJournalForReading } from "./schema/journal-schema.ts";
import { journalFile } from "./threads/journal-protocol.ts";

export type BackupSummary = { readonly bytes: number; readonly lastCommandSeq: number; readonly lastHistorySeq: number };

/** All pages in one step: what an agent writes meanwhile is in the copy as a whole or not at all. */
const allPages = 1_000_000_000;

/**
 * Copies the journal of a data directory, which an agent may be writing to. The copy is checked and appears at `out`
 * whole; a file that is there is replaced.
 */
export async function backUpJournal(dataDir: string, out: string): Promise<Result<BackupSummary, string>> {
  const path = join(dataDir, journalFile);
  if (!existsSync(path)) return fail(`${dataDir} holds no journal: is it an agent's -data-dir?`);
  if (existsSync(out) && realpathSync(out) === realpathSync(path)) return fail(`${out} is the journal itself`);
  const beside = `${out}.new`;
  const clear = (): void => {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(beside + suffix, { force: true });
  };
  try {
    // What a killed one left there could be taken for a part of this one.
    clear();
    const db = openJournalForReading(dataDir);
    try {
      await backup(db, beside, { rate: allPages });
    } finally {
      db.close();
    }
    chmodSync(beside, 0o600);
    const checked = check(beside);
    if (checked.ok) renameSync(beside, out);
    if (checked.ok) await syncFolder(dirname(out));
    return checked;
  } catch (error) {
    return fail(`cannot copy ${path} to ${out}: ${describeSqlError(error)}`);
  } finally {
    clear();
  }
}

function check(copy: string): Result<BackupSummary, string> {
  const db = new DatabaseSync(copy);
  try {
    // A file of its own, without a log beside it.
    db.exec("PRAGMA journal_mode = DELETE");
    const found = String(Object.values(db.prepare("PRAGMA integrity_check").get() ?? {})[0]);
    if (found !== "ok") return fail(`the journal is damaged: ${found.slice(0, 300)}`);
    const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
    const numberOf = (name: string): number => Number(meta.get(name)?.value ?? 0);
    return ok({
      bytes: statSync(copy).size,
      lastCommandSeq: numberOf("last_command"),
      lastHistorySeq: numberOf("last_history"),
    });
  } finally {
    db.close();
  }
}
