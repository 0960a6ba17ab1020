import type { DatabaseSync } from "node:sqlite";
import { sqlCodeOf, sqlCodes } from "./sqlite-errors.ts";

/**
 * Tracks whether a database's write-ahead log can be trusted. After a failed sync it is unknown which parts of the log
 * are on disk, because the operating system reports the failure once and drops the data. The refused transaction also
 * remains in the log, and a crash would bring it back.
 */
export function walGuard(db: DatabaseSync) {
  const truncate = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  let untrusted = false;
  return {
    /** To be called with every error of a commit. */
    commitFailed(error: unknown): void {
      untrusted ||= sqlCodeOf(error) === sqlCodes.io;
    },
    isUntrusted: (): boolean => untrusted,
    /**
     * To be called before each commit. When the log is untrusted, checkpoints it into the database and truncates it.
     * Throws when that fails; until it succeeds, no commit may be confirmed.
     */
    resetIfUntrusted(): void {
      if (!untrusted) return;
      if (truncate.get()?.["busy"] !== 0)
        throw new Error("its write-ahead log failed and cannot be truncated while a reader is active");
      untrusted = false;
    },
  };
}
