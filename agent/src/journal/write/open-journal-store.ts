import { join } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { formatJournalDamage, lockDataDir, openJournalFile } from "../schema/journal-schema.ts";
import { type JournalWorkerData, journalFile } from "../threads/journal-protocol.ts";
import { type JournalStore, createJournalStore } from "./journal-store.ts";

/** Takes the data directory and opens the journal in it for writing; or a sentence. */
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
    // The tables are there and sound, and are not those that we made.
    db.value.close();
    folder.value.release();
    return fail(formatJournalDamage(join(data.dataDir, journalFile), describeSqlError(error)));
  }
}
