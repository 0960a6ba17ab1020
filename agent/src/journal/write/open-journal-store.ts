import { join } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { journalFile } from "../schema/journal-files.ts";
import { formatJournalDamage, lockDataDir, openJournalFile } from "../schema/journal-schema.ts";
import type { JournalWorkerData } from "../threads/journal-protocol.ts";
import { createJournalStore, type JournalStore } from "./journal-store.ts";

/** Reserves the data directory and opens its journal for writing; fails with a sentence. */
export function openJournalStore(data: JournalWorkerData): Result<JournalStore, string> {
  const folder = lockDataDir(data.dataDir);
  if (!folder.ok) return folder;
  const db = openJournalFile(data);
  if (!db.ok) {
    folder.value.release();
    return db;
  }
  try {
    return ok(createJournalStore(db.value, folder.value, data.dataDir));
  } catch (error) {
    // The statements do not fit the tables, although these passed the checks.
    db.value.close();
    folder.value.release();
    return fail(formatJournalDamage(join(data.dataDir, journalFile), describeSqlError(error)));
  }
}
