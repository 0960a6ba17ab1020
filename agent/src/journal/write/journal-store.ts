import type { DatabaseSync } from "node:sqlite";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import { refOf } from "@realmwatch/shared/model/object-key";
import { auditChain } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { FolderLock } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { walGuard } from "@realmwatch/shared/platform/sqlite/wal-guard";
import type { KeptAnswer, KeyedCall } from "../command-answer.ts";
import { formatMissingRecords, type MissingRecords } from "../damage/missing-records.ts";
import type { JournalBatch } from "../journal-batch.ts";
import { historySinceMeta } from "../schema/journal-files.ts";
import { isRowIntact, rowCrc } from "../schema/row-crc.ts";
import type { RecoveryHead, StoredStateSlice, WriteOperation, WriteResult } from "../threads/journal-protocol.ts";
import { openAnswerStore } from "./answer-store.ts";

/** Last assigned sequence numbers. A failed commit resets them, so that no number is ever skipped. */
type Counters = { readonly command: number; readonly history: number };

/** Journal as the writer thread sees it: all writes, in one database connection. */
export type JournalStore = {
  /** Makes all of `ops` durable with one sync, in order. If that fails, each is tried alone. */
  write(ops: readonly WriteOperation[]): readonly WriteResult[];
  /** Must be called first. Throws a sentence when a record is damaged. */
  recover(nowMs: number): RecoveryHead;
  states(afterId: number, limit: number): StoredStateSlice;
  /** Finds the answer to a call with an idempotency key; throws a sentence when it is damaged. */
  findAnswer(call: Pick<KeyedCall, "identity" | "key">): KeptAnswer | undefined;
  cursors(): readonly (readonly [name: string, seq: number])[];
  close(): void;
};

/** Reserved data directory, whose lock database holds the cursors. */
type Cursors = Pick<FolderLock, "database" | "logMissing" | "release">;

export function createJournalStore(db: DatabaseSync, cursors: Cursors, dataDir: string): JournalStore {
  const sql = statements(db, cursors.database);
  const audit = auditChain(db);
  const answers = openAnswerStore(db);
  const log = walGuard(db);
  let counters: Counters = { command: readNumber("last_command"), history: readNumber("last_history") };

  function readNumber(name: string): number {
    return Number(sql.meta.get(name)?.value ?? 0);
  }

  function putMeta(name: string, value: string | number): void {
    sql.putMeta.run(name, value, rowCrc(String(value), name));
  }

  function append(batch: JournalBatch): number {
    for (const { ref, state } of batch.states)
      if (state === undefined) sql.deleteState.run(ref);
      else sql.putState.run(ref, state, rowCrc(state, ref));
    if (batch.program !== undefined) putMeta("program", batch.program);
    for (const entry of batch.history) addHistory(entry);
    for (const notification of batch.notifications ?? []) {
      const json = JSON.stringify(notification);
      sql.addNotification.run(notification.id, json, rowCrc(json, notification.id));
    }
    for (const id of batch.delivered ?? []) sql.deleteNotification.run(id);
    const { appliedCommandSeq: applied, takenCommandSeq: taken = applied } = batch;
    if (applied > readNumber("applied")) putMeta("applied", applied);
    sql.deleteCommands.run(Math.min(applied, taken));
    return counters.history;
  }

  function addHistory(entry: HistoryEntry): void {
    const seq = counters.history + 1;
    const { atMs, type, key } = entry;
    const ref = key === undefined ? null : refOf(key);
    const json = JSON.stringify(entry);
    sql.addHistory.run(seq, atMs, type, ref, json, rowCrc(json, seq, atMs, type, ref));
    counters = { ...counters, history: seq };
  }

  /** Continues the numbers after the missing ones, which their readers would otherwise take for repetitions. */
  function addGap({ missing, commandSeq, atMs }: Extract<WriteOperation, { kind: "skip" }>): void {
    const { command, history } = counters;
    counters = { command: Math.max(command, commandSeq), history: Math.max(history, missing.toSeq) };
    addHistory({ atMs, type: "gap", comment: formatMissingRecords(missing) });
  }

  function trimHistory(beforeMs: number, limit: number): number {
    const deleted = Number(sql.trim.run(beforeMs, limit).changes);
    if (deleted > 0) putMeta(historySinceMeta, Math.max(Math.floor(beforeMs), readNumber(historySinceMeta)));
    return deleted;
  }

  function accept({ json, audit: records, answer }: Extract<WriteOperation, { kind: "accept" }>): number {
    const seq = counters.command + 1;
    sql.addCommand.run(seq, json, rowCrc(json, seq));
    counters = { ...counters, command: seq };
    audit.add(records);
    if (answer !== undefined) answers.add(answer);
    return seq;
  }

  function apply(op: WriteOperation): number {
    switch (op.kind) {
      case "accept":
        return accept(op);
      case "audit":
        audit.add(op.audit);
        return 0;
      case "answer":
        answers.add(op.answer);
        return 0;
      case "trim_audit":
        return audit.trim(op.beforeMs, op.limit);
      case "trim_answers":
        return answers.trim(op.beforeMs, op.limit);
      case "append":
        return append(op.batch);
      case "epoch":
        putMeta("epoch", op.epoch);
        // The epoch of a new journal is the time of its first start.
        if (counters.history === 0 && readNumber(historySinceMeta) === 0) putMeta(historySinceMeta, op.epoch);
        return 0;
      case "skip":
        addGap(op);
        return counters.history;
      case "trim":
        return trimHistory(op.beforeMs, op.limit);
      case "probe":
        putMeta("probe", readNumber("probe") + 1);
        return 0;
      case "cursor":
        sql.putCursor.run(op.name, op.seq);
        return 0;
      default:
        return never(op);
    }
  }

  /** Writes all operations in one transaction, which is durable on return. Throws the errors of SQLite. */
  function commit(ops: readonly WriteOperation[]): readonly WriteResult[] {
    const before = counters;
    const auditBefore = audit.lastSeq();
    // Cursors are in a file of their own and need no sync: a stale cursor only makes its reader repeat records.
    const journalled = ops.some((op) => op.kind !== "cursor");
    try {
      if (journalled) log.resetIfUntrusted();
      if (journalled) db.exec("BEGIN IMMEDIATE");
      const answers = ops.map((op) => ({ ok: true as const, value: apply(op) }));
      const { command, history } = counters;
      if (command !== before.command) putMeta("last_command", command);
      if (history !== before.history) putMeta("last_history", history);
      audit.storeHead();
      if (journalled) db.exec("COMMIT");
      audit.committed();
      if (command !== before.command || history !== before.history || audit.lastSeq() !== auditBefore) storeEnds();
      return answers;
    } catch (error) {
      counters = before;
      audit.rolledBack();
      log.commitFailed(error);
      if (db.isTransaction) db.exec("ROLLBACK");
      answers.rolledBack();
      throw error;
    }
  }

  /**
   * Stores the last sequence numbers outside the journal, so that the next start detects a lost end of the journal.
   * Runs after the commit and without a sync: a stored number is on the disk already, and a stale one only detects
   * less.
   */
  function storeEnds(): void {
    try {
      sql.storeEnds.run(counters.history, counters.command, audit.lastSeq());
    } catch {
      // The disk failed after the commit, which is durable. The next write reports the failure.
    }
  }

  function writeAlone(op: WriteOperation): WriteResult {
    try {
      return commit([op])[0] ?? { ok: true, value: 0 };
    } catch (error) {
      return { ok: false, error: describeSqlError(error, dataDir) };
    }
  }

  return {
    write(ops) {
      try {
        return commit(ops);
      } catch (error) {
        if (log.isUntrusted()) return ops.map(() => ({ ok: false, error: describeSqlError(error, dataDir) }));
        // On a nearly full disk a small command may fit although a large batch does not.
        return ops.map(writeAlone);
      }
    },
    recover(nowMs) {
      const missing = findMissingRecords();
      const commandSeq = counters.command + (missing?.lostCommands ?? 0);
      if (missing) writeAlone({ kind: "skip", missing, commandSeq, atMs: nowMs });
      const applied = readNumber("applied");
      const commands = sql.commands
        .all()
        .map((row) => ({ seq: Number(row.seq), json: intactJson(row, row.seq, `command ${row.seq}`) }));
      return {
        program: sql.meta.get("program")?.value as string | undefined,
        commands: commands.filter(({ seq }) => seq > applied),
        appliedCommands: commands.filter(({ seq }) => seq <= applied),
        notifications: sql.notifications.all().map((row) => intactJson(row, row.id, `notification "${row.id}"`)),
        lastHistorySeq: counters.history,
        lastCommandSeq: counters.command,
        epoch: readNumber("epoch"),
        missing,
      };
    },
    states(afterId, limit) {
      const rows = sql.states.all(afterId, limit);
      const states = rows.map(
        (row) => [String(row.ref), intactJson(row, row.ref, `the state of "${row.ref}"`)] as const,
      );
      return { states, nextAfterId: rows.length < limit ? undefined : Number(rows.at(-1)?.id) };
    },
    findAnswer: (call) => answers.find(call),
    cursors: () => readCursors().filter(([name]) => !name.startsWith("#")),
    close() {
      db.close();
      cursors.release();
    },
  };

  function readCursors(): (readonly [name: string, seq: number])[] {
    return sql.cursors.all().map((row) => [String(row.name), Number(row.seq)]);
  }

  /** Detects cursors beyond the end of the journal, which then is an older copy or lost its end. */
  function findMissingRecords(): MissingRecords | undefined {
    const { logMissing } = cursors;
    let lastSeen = counters.history;
    let lostCommands = 0;
    let lostAudit = 0;
    for (const [name, seq] of readCursors())
      if (name === endNames.commands) lostCommands = Math.max(0, seq - counters.command);
      else if (name === endNames.audit) lostAudit = Math.max(0, seq - audit.lastSeq());
      else lastSeen = Math.max(lastSeen, seq);
    if (lastSeen === counters.history && lostCommands === 0 && lostAudit === 0 && !logMissing) return undefined;
    return {
      ...{ fromSeq: counters.history + 1, toSeq: lastSeen },
      ...(lostCommands > 0 && { lostCommands }),
      ...(lostAudit > 0 && { lostAudit }),
      ...(logMissing && { logGone: true }),
    };
  }
}

/** Names in the cursor table for the end of the journal; names of readers never begin with `#`. */
const endNames = { history: "#history", commands: "#commands", audit: "#audit" } as const;

/** Returns the JSON of a row. Throws when it is damaged. */
function intactJson(row: Record<string, unknown>, key: unknown, what: string): string {
  const json = String(row.json);
  if (!isRowIntact(row.crc, json, String(key))) throw new Error(`${what} is damaged`);
  return json;
}

const statements = (db: DatabaseSync, cursorDb: DatabaseSync) => ({
  meta: db.prepare("SELECT value FROM meta WHERE name = ?"),
  putMeta: db.prepare("INSERT OR REPLACE INTO meta (name, value, crc) VALUES (?, ?, ?)"),
  putState: db.prepare(
    "INSERT INTO state (ref, json, crc) VALUES (?, ?, ?) ON CONFLICT (ref) DO UPDATE SET json = excluded.json, crc = excluded.crc",
  ),
  deleteState: db.prepare("DELETE FROM state WHERE ref = ?"),
  states: db.prepare("SELECT id, ref, json, crc FROM state WHERE id > ? ORDER BY id LIMIT ?"),
  addCommand: db.prepare("INSERT INTO command (seq, json, crc) VALUES (?, ?, ?)"),
  deleteCommands: db.prepare("DELETE FROM command WHERE seq <= ?"),
  commands: db.prepare("SELECT seq, json, crc FROM command ORDER BY seq"),
  addHistory: db.prepare("INSERT INTO history (seq, at_ms, type, ref, json, crc) VALUES (?, ?, ?, ?, ?, ?)"),
  // A batch that was stored although its response was lost is appended again: its notifications keep their order.
  addNotification: db.prepare(
    "INSERT INTO notification (id, json, crc) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json, crc = excluded.crc",
  ),
  deleteNotification: db.prepare("DELETE FROM notification WHERE id = ?"),
  notifications: db.prepare("SELECT id, json, crc FROM notification ORDER BY seq"),
  trim: db.prepare("DELETE FROM history WHERE seq IN (SELECT seq FROM history WHERE at_ms < ? ORDER BY at_ms LIMIT ?)"),
  storeEnds: cursorDb.prepare(
    `INSERT INTO cursor (name, seq) VALUES ('${endNames.history}', ?), ('${endNames.commands}', ?), ('${endNames.audit}', ?)
      ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`,
  ),
  cursors: cursorDb.prepare("SELECT name, seq FROM cursor"),
  putCursor: cursorDb.prepare(
    "INSERT INTO cursor (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq",
  ),
});
