import type { DatabaseSync } from "node:sqlite";
import { sqlCodeOf, sqlCodes } from "./sqlite-errors.ts";

/**
 * Whether a database's write-ahead log can be trusted. After a sync that failed nobody knows what of it is on the disk:
 * the system reports such a failure once and forgets what it could not write. What was refused then is in the log still,
 * too, and a crash would bring it back.
 */
export type TornLog = {
  /** Call it with every error of a commit. */
  failed(error: unknown): void;
  isTorn(): boolean;
  /**
   * Call it before each commit. Where the log is torn, all that was promised goes into the database itself and the log
   * begins anew; throws where that does not work, and nothing may be promised until it does.
   */
  mend(): void;
};

export function tornLog(db: DatabaseSync): TornLog {
  const beginAnew = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  let torn = false;
  return {
    failed(error) {
      torn ||= sqlCodeOf(error) === sqlCodes.io;
    },
    isTorn: () => torn,
    mend() {
      if (!torn) return;
      if (beginAnew.get()?.["busy"] !== 0) throw new Error("its log failed and cannot begin anew while somebody reads");
      torn = false;
    },
  };
}
