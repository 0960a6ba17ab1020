import type { DatabaseSync } from "node:sqlite";
import { sqlCodeOf, sqlCodes } from "./sqlite-errors.ts";

/**
 * Whether a database's write-ahead log can be trusted. After a sync that failed nobody knows what of it is on the disk:
 * the system reports such a failure once and forgets what it could not write. What was refused then is in the log still,
 * too, and a crash would bring it back.
 */
export type WalGuard = {
  /** Call it with every error of a commit. */
  commitFailed(error: unknown): void;
  isUntrusted(): boolean;
  /**
   * Call it before each commit. Where the log is torn, all that was promised goes into the database itself and the log
   * begins anew; throws where that does not work, and nothing may be promised until it does.
   */
  resetIfUntrusted(): void;
};

export function walGuard(db: DatabaseSync): WalGuard {
  const beginAnew = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  let torn = false;
  return {
    commitFailed(error) {
      torn ||= sqlCodeOf(error) === sqlCodes.io;
    },
    isUntrusted: () => torn,
    resetIfUntrusted() {
      if (!torn) return;
      if (beginAnew.get()?.["busy"] !== 0) throw new Error("its log failed and cannot begin anew while somebody reads");
      torn = false;
    },
  };
}
