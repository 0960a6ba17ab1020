import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import {
  type AuditChain,
  type AuditEntry,
  auditChain,
  auditChainReader,
  auditTablesSql,
} from "../platform/audit-chain/audit-chain.ts";
import { findChainEndDamage } from "../platform/audit-chain/chain-ends.ts";
import { serveThread } from "../platform/process/thread-client.ts";
import type { FolderLock } from "../platform/sqlite/folder-lock.ts";
import { type DatabaseKind, formatDatabaseDamage, openLockedDatabase } from "../platform/sqlite/locked-database.ts";
import { describeSqlError } from "../platform/sqlite/sqlite-errors.ts";
import { walGuard } from "../platform/sqlite/wal-guard.ts";
import { type AuditGap, auditFile } from "./audit-file.ts";

const auditKind: DatabaseKind = {
  name: "audit log",
  file: auditFile,
  lockFile: "audit-lock.db",
  // "RwA1"
  applicationId: 0x52774131,
  version: 1,
  tables: `CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID; ${auditTablesSql}`,
};
/** Maximum size of a file that is fully checked at each start, including its index, bytes. */
const maxFullCheckBytes = 32 * 1024 ** 2;

function checkAudit(db: DatabaseSync, path: string): string | undefined {
  const check = statSync(path).size > maxFullCheckBytes ? "quick_check" : "integrity_check";
  const found = String(Object.values(db.prepare(`PRAGMA ${check}`).get() ?? {})[0]);
  const damage = found === "ok" ? findChainEndDamage(db) : found.slice(0, 300);
  return damage === undefined ? undefined : formatDatabaseDamage(auditKind, path, damage);
}

/** Requests of the audit file, and the loss that its opening detected. */
function openAuditFile(db: DatabaseSync, folder: FolderLock, dataDir: string) {
  const chain = auditChain(db);
  const progress = openProgress(folder.database);
  const wal = walGuard(db);

  /** Runs `change` in a transaction that is durable on return. Throws an error with a sentence for the operator. */
  function transact<T>(change: () => T): T {
    try {
      wal.resetIfUntrusted();
      db.exec("BEGIN IMMEDIATE");
      const result = change();
      chain.storeHead();
      db.exec("COMMIT");
      chain.committed();
      return result;
    } catch (error) {
      chain.rolledBack();
      wal.commitFailed(error);
      if (db.isTransaction) db.exec("ROLLBACK");
      throw new Error(describeSqlError(error, dataDir));
    }
  }

  const handlers = {
    add(entries: readonly AuditEntry[]): void {
      transact(() => chain.add(entries));
      progress.store(chain.lastSeq());
    },
    /** Newest first. */
    records: auditChainReader(db),
    /** Returns the number of deleted records. */
    trim: (beforeMs: number, limit: number): number => transact(() => chain.trim(beforeMs, limit)),
    close(): void {
      db.close();
      folder.release();
    },
  };
  return { opening: detectGap(chain, progress, folder), handlers };
}

export type AuditFileHandlers = ReturnType<typeof openAuditFile>["handlers"];

function detectGap(
  chain: AuditChain,
  progress: ReturnType<typeof openProgress>,
  { logMissing }: FolderLock,
): AuditGap | undefined {
  const lost = Math.max(0, progress.lastSeq() - chain.lastSeq());
  return lost > 0 || logMissing ? { lost, orMore: logMissing } : undefined;
}

/**
 * Stores the last committed sequence number outside of the audit file, because a chain that lost its newest records is
 * valid in itself. It is written after the commit and without a sync: an entry never exceeds the records on disk, and
 * an outdated entry only detects fewer lost records.
 */
function openProgress(lock: DatabaseSync) {
  try {
    lock.exec("CREATE TABLE IF NOT EXISTS reached (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID");
    const read = lock.prepare("SELECT seq FROM reached WHERE name = 'audit'");
    const put = lock.prepare("INSERT OR REPLACE INTO reached (name, seq) VALUES ('audit', ?)");
    return {
      /** Sequence number of the last record whose commit was stored; 0 when there is none. */
      lastSeq: () => Number(read.get()?.["seq"] ?? 0),
      store(seq: number): void {
        try {
          put.run(seq);
        } catch {
          // The disk cannot be written. The record itself is durable, and the next one will report the error.
        }
      },
    };
  } catch {
    // The disk was full at the start, so records cannot be written either.
    return { lastSeq: () => 0, store: (_seq: number) => {} };
  }
}

// SQLite blocks this thread while it waits for the disk.
serveThread((dataDir: string) =>
  openLockedDatabase(dataDir, auditKind, {
    check: checkAudit,
    use: (db, folder) => openAuditFile(db, folder, dataDir),
  }),
);
