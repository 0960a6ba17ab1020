import type { DatabaseSync } from "node:sqlite";
import { never } from "@realmwatch/shared/model/never";
import { type AuditEntry, auditChain } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { FolderLock } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { walGuard } from "@realmwatch/shared/platform/sqlite/wal-guard";
import { formatMissingRecords } from "../damage/missing-records.ts";
import { isRowIntact, rowCrc } from "../schema/row-crc.ts";
import type { MissingRecords, RecoveryHead, StoredStateSlice, WriteResult, WriteOperation } from "../threads/journal-protocol.ts";

type AppendOp = Extract<WriteOperation, { kind: "append" }>;
/** Where the counters stand. A failed commit puts them back, so that no number is ever skipped. */
type Counters = { readonly command: number; readonly history: number };

/** All that is written, on one thread and in one connection. */
export type JournalStore = {
  /** Makes all of `ops` durable with one sync, in order. Where that fails each is tried alone. */
  write(ops: readonly WriteOperation[]): readonly WriteResult[];
  /** Call it first. Throws a sentence where a record is damaged. */
  recover(nowMs: number): RecoveryHead;
  states(afterId: number, limit: number): StoredStateSlice;
  cursors(): readonly (readonly [name: string, seq: number])[];
  close(): void;
};

/** Whose lock holds the cursors. */
type Cursors = Pick<FolderLock, "database" | "logMissing" | "release">;

export function createJournalStore(db: DatabaseSync, cursors: Cursors, dataDir: string): JournalStore {
  const sql = statements(db, cursors.database);
  const audit = auditChain(db);
  const log = walGuard(db);
  let counters: Counters = { command: readNumber("last_command"), history: readNumber("last_history") };

  function readNumber(name: string): number {
    return Number(sql.meta.get(name)?.value ?? 0);
  }

  function putMeta(name: string, value: string | number): void {
    sql.putMeta.run(name, value, rowCrc(String(value), name));
  }

  function append(op: AppendOp): number {
    for (const [ref, json] of op.states)
      if (json === undefined) sql.dropState.run(ref);
      else sql.putState.run(ref, json, rowCrc(json, ref));
    if (op.program !== undefined) putMeta("program", op.program);
    for (const line of op.history) addHistory(line);
    for (const [id, json] of op.notifications) sql.addNotification.run(id, json, rowCrc(json, id));
    for (const id of op.delivered) sql.dropNotification.run(id);
    if (sql.applied.run(op.appliedCommandSeq).changes > 0) putMeta("applied", op.appliedCommandSeq);
    if (op.recordedCommandSeq > op.appliedCommandSeq && op.recordedCommandSeq > readNumber("recorded"))
      putMeta("recorded", op.recordedCommandSeq);
    return counters.history;
  }

  function addHistory(line: AppendOp["history"][number]): void {
    const seq = counters.history + 1;
    const { atMs, type, ref, json } = line;
    sql.addHistory.run(seq, atMs, type, ref, json, rowCrc(json, seq, atMs, type, ref));
    counters = { ...counters, history: seq };
  }

  /** Numbers go on behind the gap, since whoever saw the lost ones would take new ones for repetitions. */
  function addGap(gap: MissingRecords, atMs: number): void {
    const { toSeq, lostCommands = 0 } = gap;
    const comment = formatMissingRecords(gap);
    counters = { command: counters.command + lostCommands, history: toSeq };
    addHistory({ atMs, type: "gap", ref: null, json: JSON.stringify({ atMs, type: "gap", comment }) });
  }

  function accept({ json, audit: records }: { json: string; audit: readonly AuditEntry[] }): number {
    const seq = counters.command + 1;
    sql.addCommand.run(seq, json, rowCrc(json, seq));
    counters = { ...counters, command: seq };
    audit.add(records);
    return seq;
  }

  function apply(op: WriteOperation): number {
    switch (op.kind) {
      case "accept":
        return accept(op);
      case "audit":
        audit.add(op.audit);
        return 0;
      case "trim_audit":
        return audit.trim(op.beforeMs, op.limit);
      case "append":
        return append(op);
      case "epoch":
        putMeta("epoch", Math.max(op.epoch, readNumber("epoch")));
        return 0;
      case "skip":
        if (op.seq > counters.history || op.gap !== undefined)
          addGap({ ...op.gap, fromSeq: counters.history + 1, toSeq: Math.max(op.seq, counters.history) }, op.atMs);
        return counters.history;
      case "trim":
        return Number(sql.trim.run(op.beforeMs, op.limit).changes);
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

  /** All or nothing, and durable when it returns. Throws what SQLite throws. */
  function commit(ops: readonly WriteOperation[]): readonly WriteResult[] {
    const before = counters;
    const auditBefore = audit.lastSeq();
    // Cursors are in a file of their own and need no sync: one that is behind only repeats what was sent.
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
      if (command !== before.command || history !== before.history || audit.lastSeq() !== auditBefore) noteReached();
      return answers;
    } catch (error) {
      counters = before;
      audit.rolledBack();
      log.commitFailed(error);
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * How far the journal got is noted outside of it, so that a start knows where its end was lost. After the commit, and
   * without a sync: what is noted is on the disk, and a note that is behind only notices less.
   */
  function noteReached(): void {
    try {
      sql.noteReached.run(counters.history, counters.command, audit.lastSeq());
    } catch {
      // The disk takes nothing any more: what was promised is promised, and the next write will say so.
    }
  }

  function alone(op: WriteOperation): WriteResult {
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
        // On a nearly full disk a small command may still fit where a large batch does not.
        return ops.map(alone);
      }
    },
    recover(nowMs) {
      const gap = findGap();
      if (gap) alone({ kind: "skip", seq: gap.toSeq, gap, atMs: nowMs });
      return {
        program: sql.meta.get("program")?.value as string | undefined,
        commands: sql.commands
          .all()
          .map((row) => ({ seq: Number(row.seq), json: sound(row, row.seq, `command ${row.seq}`) })),
        notifications: sql.notifications.all().map((row) => sound(row, row.id, `notification "${row.id}"`)),
        lastHistorySeq: counters.history,
        lastCommandSeq: counters.command,
        recordedCommandSeq: readNumber("recorded"),
        epoch: readNumber("epoch"),
        missing,
      };
    },
    states(afterId, limit) {
      const rows = sql.states.all(afterId, limit);
      const states = rows.map((row) => [String(row.ref), sound(row, row.ref, `the state of "${row.ref}"`)] as const);
      return { states, nextAfterId: rows.length < limit ? undefined : Number(rows.at(-1)?.id) };
    },
    cursors: () => readCursors().filter(([name]) => !name.startsWith("#")),
    close() {
      db.close();
      cursors.release();
    },
  };

  function readCursors(): (readonly [name: string, seq: number])[] {
    return sql.cursors.all().map((row) => [String(row.name), Number(row.seq)]);
  }

  /** A cursor beyond the journal's end: the journal is older than what was already told of it, or lost its end. */
  function findGap(): MissingRecords | undefined {
    const { logMissing } = cursors;
    let seen = counters.history;
    let lostCommands = 0;
    let lostAudit = 0;
    for (const [name, seq] of readCursors())
      if (name === reached.commands) lostCommands = Math.max(0, seq - counters.command);
      else if (name === reached.audit) lostAudit = Math.max(0, seq - audit.lastSeq());
      else seen = Math.max(seen, seq);
    if (seen === counters.history && lostCommands === 0 && lostAudit === 0 && !logMissing) return undefined;
    return {
      ...{ fromSeq: counters.history + 1, toSeq: seen },
      ...(lostCommands > 0 && { lostCommands }),
      ...(lostAudit > 0 && { lostAudit }),
      ...(logMissing && { logGone: true }),
    };
  }
}

/** Names in the table of cursors that are no reader's: readers have words for names. */
const reached = { history: "#history", commands: "#commands", audit: "#audit" } as const;

/** The row's text, if it is what was written. */
function sound(row: Record<string, unknown>, key: unknown, what: string): string {
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
  dropState: db.prepare("DELETE FROM state WHERE ref = ?"),
  states: db.prepare("SELECT id, ref, json, crc FROM state WHERE id > ? ORDER BY id LIMIT ?"),
  addCommand: db.prepare("INSERT INTO command (seq, json, crc) VALUES (?, ?, ?)"),
  applied: db.prepare("DELETE FROM command WHERE seq <= ?"),
  commands: db.prepare("SELECT seq, json, crc FROM command ORDER BY seq"),
  addHistory: db.prepare("INSERT INTO history (seq, at_ms, type, ref, json, crc) VALUES (?, ?, ?, ?, ?, ?)"),
  // A batch that was kept though its answer got lost is appended again: its notifications keep their place.
  addNotification: db.prepare(
    "INSERT INTO notification (id, json, crc) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json, crc = excluded.crc",
  ),
  dropNotification: db.prepare("DELETE FROM notification WHERE id = ?"),
  notifications: db.prepare("SELECT id, json, crc FROM notification ORDER BY seq"),
  trim: db.prepare("DELETE FROM history WHERE seq IN (SELECT seq FROM history WHERE at_ms < ? ORDER BY at_ms LIMIT ?)"),
  noteReached: cursorDb.prepare(
    `INSERT INTO cursor (name, seq) VALUES ('${reached.history}', ?), ('${reached.commands}', ?), ('${reached.audit}', ?)
      ON CONFLICT (name) DO UPDATE SET seq = excluded.seq`,
  ),
  cursors: cursorDb.prepare("SELECT name, seq FROM cursor"),
  putCursor: cursorDb.prepare(
    "INSERT INTO cursor (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq",
  ),
});
