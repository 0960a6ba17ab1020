import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { fail, ok, type Result } from "../model/result.ts";
import { type AuditChain, auditChain, auditReader, auditTables } from "../platform/audit-chain/audit-chain.ts";
import { damageOfAuditEnds } from "../platform/audit-chain/chain-ends.ts";
import { showSqlError, sqlCodeOf, sqlCodes } from "../platform/sqlite/sqlite-errors.ts";
import { type TakenFolder, takeFolder } from "../platform/sqlite/folder-lock.ts";
import { serve } from "../platform/process/thread-client.ts";
import { tornLog } from "../platform/sqlite/wal-guard.ts";
import { damageBeforeOpening } from "../platform/sqlite/wal-damage.ts";
import {
  type AuditAnswers,
  type AuditAsk,
  type AuditGap,
  type AuditOpening,
  auditFile,
  auditLockFile,
} from "./audit-thread-protocol.ts";

const schemaVersion = 1;
/** Marks the file as ours ("RwA1"). */
const applicationId = 0x52774131;
/** Up to this its index is compared with the records at each start, bytes. */
const largestCompared = 32 * 1024 ** 2;

type Book = { readonly gap: AuditGap | undefined; answer(ask: AuditAsk): AuditAnswers[AuditAsk["kind"]] };

/** The thread that holds the file: SQLite waits for the disk, and only this thread waits with it. */
function open(dataDir: string): Result<Book, string> {
  const folder = takeFolder({ dataDir, lockFile: auditLockFile, files: [auditFile] });
  if (!folder.ok) return folder;
  const db = openFile(join(dataDir, auditFile));
  if (!db.ok) {
    folder.value.close();
    return db;
  }
  try {
    return ok(bookOf(db.value, folder.value, dataDir));
  } catch (error) {
    // The tables are there and sound, and are not those that we made.
    db.value.close();
    folder.value.close();
    return fail(damaged(join(dataDir, auditFile), showSqlError(error)));
  }
}

function openFile(path: string): Result<DatabaseSync, string> {
  const damage = damageBeforeOpening(path);
  if (damage !== undefined) return fail(damaged(path, damage));
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    const refused = prepare(db, path);
    if (refused === undefined) return ok(db);
    db.close();
    return fail(refused);
  } catch (error) {
    const code = sqlCodeOf(error);
    if (code === sqlCodes.notADatabase || code === sqlCodes.corrupt) return fail(damaged(path, showSqlError(error)));
    return fail(`cannot open the audit log ${path}: ${showSqlError(error)}`);
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
    db.exec(auditTables);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}; COMMIT`);
  }
  const check = statSync(path).size > largestCompared ? "quick_check" : "integrity_check";
  const found = String(Object.values(db.prepare(`PRAGMA ${check}`).get() ?? {})[0]);
  const damage = found === "ok" ? damageOfAuditEnds(db) : found.slice(0, 300);
  return damage === undefined ? undefined : damaged(path, damage);
}

const damaged = (path: string, what: string): string =>
  `the audit log ${path} is damaged (${what}): restore it from a backup, or move it away to start anew`;

function bookOf(db: DatabaseSync, folder: TakenFolder, dataDir: string): Book {
  const chain = auditChain(db);
  const records = auditReader(db);
  const reached = reachedIn(folder.lock);
  const log = tornLog(db);

  /** All or nothing, and durable when it returns. Throws a sentence. */
  function keep<T>(change: () => T): T {
    try {
      log.mend();
      db.exec("BEGIN IMMEDIATE");
      const answer = change();
      chain.settle();
      db.exec("COMMIT");
      chain.keep();
      return answer;
    } catch (error) {
      chain.forget();
      log.failed(error);
      if (db.isTransaction) db.exec("ROLLBACK");
      throw new Error(showSqlError(error, dataDir));
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
          folder.close();
          return null;
      }
    },
  };
}

function gapOf(chain: AuditChain, reached: Reached, { logGone }: TakenFolder): AuditGap | undefined {
  const lost = Math.max(0, reached.seq() - chain.lastSeq());
  return lost > 0 || logGone ? { lost, orMore: logGone } : undefined;
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
    (book.ok ? { kind: "opened", gap: book.value.gap } : { kind: "refused", why: book.error }) satisfies AuditOpening,
  );
  if (book.ok) serve<AuditAsk>(parentPort, (ask) => book.value.answer(ask));
}
