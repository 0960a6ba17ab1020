import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { type AuditChain, auditChain, auditReader, auditTables } from "../tools/audit-chain.ts";
import { showSqlError, takeFolder } from "../tools/sqlite.ts";
import { serve } from "../tools/thread-link.ts";
import { damageOfWal } from "../tools/wal-check.ts";
import { fail, ok, type Result } from "../words/result.ts";
import { type AuditAnswers, type AuditAsk, type AuditOpening, auditFile, auditLockFile } from "./audit-protocol.ts";

const schemaVersion = 1;
/** Marks the file as ours ("RwA1"). */
const applicationId = 0x52774131;

type Book = { answer(ask: AuditAsk): AuditAnswers[AuditAsk["kind"]] };

/** The thread that holds the file: SQLite waits for the disk, and only this thread waits with it. */
function open(dataDir: string): Result<Book, string> {
  const lock = takeFolder({ dataDir, lockFile: auditLockFile, files: [auditFile] });
  if (!lock.ok) return lock;
  const db = openFile(join(dataDir, auditFile));
  if (!db.ok) {
    lock.value.close();
    return db;
  }
  return ok(bookOf(db.value, lock.value));
}

function openFile(path: string): Result<DatabaseSync, string> {
  const damage = existsSync(path) ? damageOfWal(`${path}-wal`) : undefined;
  if (damage !== undefined) return fail(damaged(path, damage));
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    const refused = prepare(db, path);
    if (refused === undefined) return ok(db);
    db.close();
    return fail(refused);
  } catch (error) {
    return fail(`cannot open the audit log ${path}: ${showSqlError(error)}`);
  }
}

function prepare(db: DatabaseSync, path: string): string | undefined {
  const numberOf = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  const empty = numberOf("SELECT count(*) FROM sqlite_schema") === 0;
  if (!empty && numberOf("PRAGMA application_id") !== applicationId) return `${path} is no audit log of this program`;
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
  const found = String(Object.values(db.prepare("PRAGMA quick_check").get() ?? {})[0]);
  return found === "ok" ? undefined : damaged(path, found.slice(0, 300));
}

const damaged = (path: string, what: string): string =>
  `the audit log ${path} is damaged (${what}): restore it from a backup, or move it away to start anew`;

function bookOf(db: DatabaseSync, lock: DatabaseSync): Book {
  const chain = auditChain(db);
  const records = auditReader(db);
  return {
    answer(ask) {
      switch (ask.kind) {
        case "add":
          keep(db, chain, () => chain.add(ask.lines));
          return null;
        case "records":
          return records(ask.sinceMs, ask.limit);
        case "trim":
          return keep(db, chain, () => chain.trim(ask.beforeMs, ask.limit));
        case "close":
          db.close();
          lock.close();
          return null;
      }
    },
  };
}

/** All or nothing, and durable when it returns. Throws a sentence. */
function keep<T>(db: DatabaseSync, chain: AuditChain, change: () => T): T {
  try {
    db.exec("BEGIN IMMEDIATE");
    const answer = change();
    db.exec("COMMIT");
    chain.keep();
    return answer;
  } catch (error) {
    chain.forget();
    if (db.isTransaction) db.exec("ROLLBACK");
    throw new Error(showSqlError(error));
  }
}

if (parentPort) {
  const book = open(String((workerData as { dataDir: unknown }).dataDir));
  parentPort.postMessage((book.ok ? { kind: "opened" } : { kind: "refused", why: book.error }) satisfies AuditOpening);
  if (book.ok) serve<AuditAsk>(parentPort, (ask) => book.value.answer(ask));
}
