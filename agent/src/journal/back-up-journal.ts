import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { type Clock, repeat } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { openNewFile } from "@realmwatch/shared/platform/files/new-file";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { formatShare } from "@realmwatch/shared/text/share-of";
import { syncFolder } from "../platform/files/sync-folder.ts";
import { journalFile } from "./schema/journal-files.ts";
import { openJournalForReading } from "./schema/journal-schema.ts";

type BackupSummary = {
  readonly bytes: number;
  readonly lastCommandSeq: number;
  readonly lastHistorySeq: number;
};

/** Receiver of how far the copy is. */
type BackupProgress = { readonly clock?: Clock; readonly progress?: ((text: string) => void) | undefined };

const sizeQuery = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

/** Pages per step of the copy: all, so that concurrent writes of an agent are copied completely or not at all. */
const allPages = 1_000_000_000;

/**
 * Copies the journal of a data directory, which an agent may be writing to. The copy is checked before it is moved to
 * `out`, where it replaces an existing file. Neither a link at `out` nor one beside it is written through.
 */
export async function backUpJournal(
  dataDir: string,
  out: string,
  { clock, progress }: BackupProgress = {},
): Promise<Result<BackupSummary, string>> {
  const path = join(dataDir, journalFile);
  if (!existsSync(path)) return fail(`${dataDir} holds no journal: is it an agent's -data-dir?`);
  if (existsSync(out) && realpathSync(out) === realpathSync(path)) return fail(`${out} is the journal itself`);
  let temporary: string | undefined;
  try {
    const created = await openNewFile(out, 0o600);
    temporary = created.path;
    await created.handle.close();
    const db = openJournalForReading(dataDir);
    const { bytes } = db.prepare(sizeQuery).get() as { bytes: number };
    const say = (done: number): void => progress?.(formatShare(megabytes(done), megabytes(bytes), "MB"));
    const copy = temporary;
    const cancel = clock === undefined ? () => {} : repeat(clock, 500, () => say(statSync(copy).size));
    try {
      await backup(db, temporary, { rate: allPages });
    } finally {
      cancel();
      db.close();
    }
    progress?.("the copy is verified");
    const checked = check(temporary);
    if (checked.ok) renameSync(temporary, out);
    if (checked.ok) await syncFolder(dirname(out));
    return checked;
  } catch (error) {
    return fail(`cannot copy ${path} to ${out}: ${describeSqlError(error)}`);
  } finally {
    if (temporary !== undefined)
      for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(temporary + suffix, { force: true });
  }
}

function check(copy: string): Result<BackupSummary, string> {
  const db = new DatabaseSync(copy);
  try {
    // One file, without a write-ahead log.
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
