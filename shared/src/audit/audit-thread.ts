import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { fail, ok, type Result } from "../model/result.ts";
import { type AuditChain, auditChain, auditChainReader, auditTablesSql } from "../platform/audit-chain/audit-chain.ts";
import { findChainEndDamage } from "../platform/audit-chain/chain-ends.ts";
import { describeSqlError, sqlCodeOf, sqlCodes } from "../platform/sqlite/sqlite-errors.ts";
import { type FolderLock, lockFolder } from "../platform/sqlite/folder-lock.ts";
import { serveThreadRequests } from "../platform/process/thread-client.ts";
import { walGuard } from "../platform/sqlite/wal-guard.ts";
import { findDamageBeforeOpening } from "../platform/sqlite/wal-damage.ts";
import {
  type AuditResponses,
  type AuditRequest,
  type AuditGap,
  type AuditOpenResult,
  auditFile,
  auditLockFile,
} from "./audit-thread-protocol.ts";

const schemaVersion = 1;
/** Marks the file as ours ("RwA1"). */
const applicationId = 0x52774131;
/** Up to this its index is compared with the records at each start, bytes. */
const largestCompared = 32 * 1024 ** 2;

type Book = { readonly gap: AuditGap | undefined; answer(ask: AuditRequest): AuditResponses[AuditRequest["kind"]] };

/** The thread that holds the file: SQLite waits for the disk, and only this thread waits with it. */
function open(dataDir: string): Result<Book, string> {
  const folder = lockFolder({ dataDir, lockFile: auditLockFile, files: [auditFile] });
  if (!folder.ok) return folder;
  const db = openFile(join(dataDir, auditFile));
  if (!db.ok) {
    folder.value.release();
    return db;
  }
  try {
    return ok(bookOf(db.value, folder.value, dataDir));
  } catch (error) {
    // The tables are there and sound, and are not those that we made.
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
    const refused = prepare(db, path);
    if (refused === undefined) return ok(db);
    db.close();
    return fail(refused);
  } catch (error) {
    const code = sqlCodeOf(error);
    if (code === sqlCodes.notADatabase || code === sqlCodes.corrupt) return fail(damaged(path, describeSqlError(error)));
    return fail(`cannot open the audit log ${path}: ${describeSqlError(error)}`);
  }
}

function prepare(db: DatabaseSync, path: string): string | undefined {
  const numberOf = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  const empty = numberOf("SELECT count(*) FROM sqlite_schema") === 0;
  if (!empty && numberOf("PRAGMA application_id") !== applicationId)
    return `${path} is no audit log of this program: use another -data-dir`;
  const version = numberOf("PRAGMA user_version");
  if (version > schemaVersion)
    return `the audit log ${path} was written by a newer version (schema ${version}, known is ${schemaVersion}): start that version or use another -data-dir`;
  // FULL: a commit is on the disk when it returns.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA journal_size_limit = 67108864");
  if (empty) {
    db.exec("BEGIN IMMEDIATE; CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID");
    db.exec(auditTablesSql);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}; COMMIT`);
  }
  const check = statSync(path).size > largestCompared ? "quick_check" : "integrity_check";
  const found = String(Object.values(db.prepare(`PRAGMA ${check}`).get() ?? {})[0]);
  const damage = found === "ok" ? findChainEndDamage(db) : found.slice(0, 300);
  return damage === undefined ? undefined : damaged(path, damage);
}

const damaged = (path: string, what: string): string =>
  `the audit log ${path} is damaged (${what}): restore it from a backup, or move it away to start anew`;

function bookOf(db: DatabaseSync, folder: FolderLock, dataDir: string): Book {
  const chain = auditChain(db);
  const records = auditChainReader(db);
  const reached = reachedIn(folder.database);
  const log = walGuard(db);

  /** All or nothing, and durable when it returns. Throws a sentence. */
  function keep<T>(change: () => T): T {
    try {
      log.resetIfUntrusted();
      db.exec("BEGIN IMMEDIATE");
      const answer = change();
      chain.storeHead();
      db.exec("COMMIT");
      chain.committed();
      return answer;
    } catch (error) {
      chain.rolledBack();
      log.commitFailed(error);
      if (db.isTransaction) db.exec("ROLLBACK");
      throw new Error(describeSqlError(error, dataDir));
    }
  }

  return {
    gap: gapOf(chain, reached, folder),
    answer(ask) {
      switch (ask.kind) {
        case "add":
          keep(() => chain.add(ask.lines));
          reached.note(chain.lastSeq());
          return null;
        case "records":
          return records(ask.sinceMs, ask.limit);
        case "trim":
          return keep(() => chain.trim(ask.beforeMs, ask.limit));
        case "close":
          db.close();
          folder.release();
          return null;
      }
    },
  };
}

function gapOf(chain: AuditChain, reached: Reached, { logMissing }: FolderLock): AuditGap | undefined {
  const lost = Math.max(0, reached.seq() - chain.lastSeq());
  return lost > 0 || logMissing ? { lost, orMore: logMissing } : undefined;
}

type Reached = {
  /** The last record that was noted; 0 where none was. */
  seq(): number;
  note(seq: number): void;
};

/**
 * How far the records got, noted outside of their file: a chain that merely ends earlier proves whole. After the commit,
 * and without a sync: what is noted is on the disk, and a note that is behind only notices less.
 */
function reachedIn(lock: DatabaseSync): Reached {
  try {
    lock.exec("CREATE TABLE IF NOT EXISTS reached (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID");
    const read = lock.prepare("SELECT seq FROM reached WHERE name = 'audit'");
    const put = lock.prepare("INSERT OR REPLACE INTO reached (name, seq) VALUES ('audit', ?)");
    return {
      seq: () => Number(read.get()?.["seq"] ?? 0),
      note(seq) {
        try {
          put.run(seq);
        } catch {
          // The disk takes nothing any more: what was kept is kept, and the next record will say so.
        }
      },
    };
  } catch {
    // A disk that was full at the start has no room for notes: records wait for room, too.
    return { seq: () => 0, note: () => {} };
  }
}

if (parentPort) {
  const book = open(String((workerData as { dataDir: unknown }).dataDir));
  parentPort.postMessage(
    (book.ok ? { kind: "opened", gap: book.value.gap } : { kind: "refused", why: book.error }) satisfies AuditOpenResult,
  );
  if (book.ok) serveThreadRequests<AuditRequest>(parentPort, (ask) => book.value.answer(ask));
}
