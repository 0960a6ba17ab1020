import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { never } from "../model/never.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { type AuditChain, auditChain, auditChainReader, auditTablesSql } from "../platform/audit-chain/audit-chain.ts";
import { findChainEndDamage } from "../platform/audit-chain/chain-ends.ts";
import { serveThreadRequests } from "../platform/process/thread-client.ts";
import { type FolderLock, lockFolder } from "../platform/sqlite/folder-lock.ts";
import { restrictDatabase } from "../platform/sqlite/private-database.ts";
import { describeSqlError, sqlCodeOf, sqlCodes } from "../platform/sqlite/sqlite-errors.ts";
import { findDamageBeforeOpening } from "../platform/sqlite/wal-damage.ts";
import { walGuard } from "../platform/sqlite/wal-guard.ts";
import {
  type AuditGap,
  type AuditOpenResult,
  type AuditRequest,
  type AuditResponses,
  auditFile,
  auditLockFile,
} from "./audit-thread-protocol.ts";

const schemaVersion = 1;
/** SQLite application id that identifies the file ("RwA1"). */
const applicationId = 0x52774131;
/** Maximum size of a file that is fully checked at each start, including its index, bytes. */
const maxFullCheckBytes = 32 * 1024 ** 2;

type AuditFile = {
  readonly gap: AuditGap | undefined;
  handle(request: AuditRequest): AuditResponses[AuditRequest["kind"]];
};

/** Opens the file in this thread, because SQLite blocks the thread while it waits for the disk. */
function open(dataDir: string): Result<AuditFile, string> {
  const folder = lockFolder({ dataDir, lockFile: auditLockFile, files: [auditFile] });
  if (!folder.ok) return folder;
  const db = openFile(join(dataDir, auditFile));
  if (!db.ok) {
    folder.value.release();
    return db;
  }
  try {
    return ok(auditFileOf(db.value, folder.value, dataDir));
  } catch (error) {
    // The tables are intact, but do not have the expected schema.
    db.value.close();
    folder.value.release();
    return fail(damaged(join(dataDir, auditFile), describeSqlError(error)));
  }
}

function openFile(path: string): Result<DatabaseSync, string> {
  const damage = findDamageBeforeOpening(path);
  if (damage !== undefined) return fail(damaged(path, damage));
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    restrictDatabase(path);
    const refused = prepare(db, path);
    if (refused === undefined) return ok(db);
    db.close();
    return fail(refused);
  } catch (error) {
    const code = sqlCodeOf(error);
    if (code === sqlCodes.notADatabase || code === sqlCodes.corrupt)
      return fail(damaged(path, describeSqlError(error)));
    return fail(`cannot open the audit log ${path}: ${describeSqlError(error)}`);
  }
}

function prepare(db: DatabaseSync, path: string): string | undefined {
  const numberOf = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  const empty = numberOf("SELECT count(*) FROM sqlite_schema") === 0;
  if (!empty && numberOf("PRAGMA application_id") !== applicationId)
    return `${path} is not an audit log of this program: use another -data-dir`;
  const version = numberOf("PRAGMA user_version");
  if (version > schemaVersion)
    return `the audit log ${path} was written by a newer version (schema ${version}, known is ${schemaVersion}): start that version or use another -data-dir`;
  // With FULL a commit is on disk when it returns.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA journal_size_limit = 67108864");
  if (empty) {
    db.exec("BEGIN IMMEDIATE; CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID");
    db.exec(auditTablesSql);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}; COMMIT`);
  }
  const check = statSync(path).size > maxFullCheckBytes ? "quick_check" : "integrity_check";
  const found = String(Object.values(db.prepare(`PRAGMA ${check}`).get() ?? {})[0]);
  const damage = found === "ok" ? findChainEndDamage(db) : found.slice(0, 300);
  return damage === undefined ? undefined : damaged(path, damage);
}

const damaged = (path: string, what: string): string =>
  `the audit log ${path} is damaged (${what}): restore it from a backup, or move it away to start a new one`;

function auditFileOf(db: DatabaseSync, folder: FolderLock, dataDir: string): AuditFile {
  const chain = auditChain(db);
  const records = auditChainReader(db);
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

  return {
    gap: detectGap(chain, progress, folder),
    handle(request) {
      switch (request.kind) {
        case "add":
          transact(() => chain.add(request.entries));
          progress.store(chain.lastSeq());
          return null;
        case "records":
          return records(request.sinceMs, request.limit);
        case "trim":
          return transact(() => chain.trim(request.beforeMs, request.limit));
        case "close":
          db.close();
          folder.release();
          return null;
        default:
          return never(request);
      }
    },
  };
}

function detectGap(chain: AuditChain, progress: Progress, { logMissing }: FolderLock): AuditGap | undefined {
  const lost = Math.max(0, progress.lastSeq() - chain.lastSeq());
  return lost > 0 || logMissing ? { lost, orMore: logMissing } : undefined;
}

type Progress = {
  /** Sequence number of the last record whose commit was stored; 0 when there is none. */
  lastSeq(): number;
  store(seq: number): void;
};

/**
 * Stores the last committed sequence number outside of the audit file, because a chain that lost its newest records is
 * valid in itself. It is written after the commit and without a sync: an entry never exceeds the records on disk, and
 * an outdated entry only detects fewer lost records.
 */
function openProgress(lock: DatabaseSync): Progress {
  try {
    lock.exec("CREATE TABLE IF NOT EXISTS reached (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID");
    const read = lock.prepare("SELECT seq FROM reached WHERE name = 'audit'");
    const put = lock.prepare("INSERT OR REPLACE INTO reached (name, seq) VALUES ('audit', ?)");
    return {
      lastSeq: () => Number(read.get()?.["seq"] ?? 0),
      store(seq) {
        try {
          put.run(seq);
        } catch {
          // The disk cannot be written. The record itself is durable, and the next one will report the error.
        }
      },
    };
  } catch {
    // The disk was full at the start, so records cannot be written either.
    return { lastSeq: () => 0, store: () => {} };
  }
}

if (parentPort) {
  const file = open(String((workerData as { dataDir: unknown }).dataDir));
  parentPort.postMessage(
    (file.ok
      ? { kind: "opened", gap: file.value.gap }
      : { kind: "refused", why: file.error }) satisfies AuditOpenResult,
  );
  if (file.ok) serveThreadRequests<AuditRequest>(parentPort, (request) => file.value.handle(request));
}
