import type { DatabaseSync } from "node:sqlite";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import { refOf } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { auditChain } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { FolderLock } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { walGuard } from "@realmwatch/shared/platform/sqlite/wal-guard";
import type { KeptAnswer, KeyedCall } from "../command-answer.ts";
import { formatMissingRecords, type MissingRecords } from "../damage/missing-records.ts";
import type { JournalBatch } from "../journal-batch.ts";
import { historySinceMeta } from "../schema/journal-files.ts";
import { type JournalPlace, openJournalFile } from "../schema/journal-schema.ts";
import { isRowIntact, rowCrc } from "../schema/row-crc.ts";
import { AnswerStore } from "./answer-store.ts";
import { endNames, journalStatements } from "./journal-statements.ts";
import type { RecoveryHead, StoredStateSlice } from "./recovery-records.ts";
import type { WriteOf, WriteOperation, WriteResult } from "./write-operation.ts";

/** Reserves the data directory and opens its journal for writing; fails with a sentence. */
export const openJournalStore = (place: JournalPlace): Result<JournalStore, string> =>
  openJournalFile(place, (db, folder) => new JournalStore(db, folder, place.dataDir));

/** Journal as the writer thread sees it: all writes, in one database connection. */
export class JournalStore {
  readonly #db: DatabaseSync;
  readonly #folder: FolderLock;
  readonly #dataDir: string;
  readonly #sql: ReturnType<typeof journalStatements>;
  readonly #audit: ReturnType<typeof auditChain>;
  readonly #answers: AnswerStore;
  readonly #log: ReturnType<typeof walGuard>;
  /** Last assigned sequence numbers. A failed commit resets them, so that no number is ever skipped. */
  #counters: { readonly command: number; readonly history: number };

  /** @param folder reserved data directory, whose lock database holds the cursors */
  constructor(db: DatabaseSync, folder: FolderLock, dataDir: string) {
    this.#db = db;
    this.#folder = folder;
    this.#dataDir = dataDir;
    this.#sql = journalStatements(db, folder.database);
    this.#audit = auditChain(db);
    this.#answers = new AnswerStore(db);
    this.#log = walGuard(db);
    this.#counters = { command: this.#readNumber("last_command"), history: this.#readNumber("last_history") };
  }

  /** Makes all of `ops` durable with one sync, in order. If that fails, each is tried alone. */
  write(ops: readonly WriteOperation[]): readonly WriteResult[] {
    try {
      return this.#commit(ops);
    } catch (error) {
      if (this.#log.isUntrusted()) return ops.map(() => fail(describeSqlError(error, this.#dataDir)));
      // On a nearly full disk a small command may fit although a large batch does not.
      return ops.map((op) => this.#writeAlone(op));
    }
  }

  /** Must be called first. Throws a sentence when a record is damaged. */
  recover(nowMs: number): RecoveryHead {
    const missing = this.#findMissingRecords();
    const commandSeq = this.#counters.command + (missing?.lostCommands ?? 0);
    if (missing) this.#writeAlone({ kind: "skip", missing, commandSeq, atMs: nowMs });
    const applied = this.#readNumber("applied");
    const commands = this.#sql.commands
      .all()
      .map((row) => ({ seq: Number(row.seq), json: intactJson(row, row.seq, `command ${row.seq}`) }));
    return {
      program: this.#sql.meta.get("program")?.value as string | undefined,
      commands: commands.filter(({ seq }) => seq > applied),
      appliedCommands: commands.filter(({ seq }) => seq <= applied),
      notifications: this.#sql.notifications.all().map((row) => intactJson(row, row.id, `notification "${row.id}"`)),
      lastHistorySeq: this.#counters.history,
      lastCommandSeq: this.#counters.command,
      epoch: this.#readNumber("epoch"),
      missing,
    };
  }

  /** States after a row id. Throws a sentence when one is damaged. */
  states(afterId: number, limit: number): StoredStateSlice {
    const rows = this.#sql.states.all(afterId, limit);
    const states = rows.map((row) => [String(row.ref), intactJson(row, row.ref, `the state of "${row.ref}"`)] as const);
    return { states, nextAfterId: rows.length < limit ? undefined : Number(rows.at(-1)?.id) };
  }

  /** Finds the answer to a call with an idempotency key; throws a sentence when it is damaged. */
  findAnswer(call: Pick<KeyedCall, "identity" | "key">): KeptAnswer | undefined {
    return this.#answers.find(call);
  }

  cursors(): readonly (readonly [name: string, seq: number])[] {
    return this.#readCursors().filter(([name]) => !name.startsWith("#"));
  }

  close(): void {
    this.#db.close();
    this.#folder.release();
  }

  #readNumber(name: string): number {
    return Number(this.#sql.meta.get(name)?.value ?? 0);
  }

  #putMeta(name: string, value: string | number): void {
    this.#sql.putMeta.run(name, value, rowCrc(String(value), name));
  }

  #readCursors(): (readonly [name: string, seq: number])[] {
    return this.#sql.cursors.all().map((row) => [String(row.name), Number(row.seq)]);
  }

  /** Writes all operations in one transaction, which is durable on return. Throws the errors of SQLite. */
  #commit(ops: readonly WriteOperation[]): readonly WriteResult[] {
    const before = this.#counters;
    const auditBefore = this.#audit.lastSeq();
    // Cursors are in a file of their own and need no sync: a stale cursor only makes its reader repeat records.
    const journalled = ops.some((op) => op.kind !== "cursor");
    try {
      if (journalled) this.#log.resetIfUntrusted();
      if (journalled) this.#db.exec("BEGIN IMMEDIATE");
      const results = ops.map((op) => ok(this.#apply(op)));
      const { command, history } = this.#counters;
      if (command !== before.command) this.#putMeta("last_command", command);
      if (history !== before.history) this.#putMeta("last_history", history);
      this.#audit.storeHead();
      if (journalled) this.#db.exec("COMMIT");
      this.#audit.committed();
      if (command !== before.command || history !== before.history || this.#audit.lastSeq() !== auditBefore)
        this.#storeEnds();
      return results;
    } catch (error) {
      this.#counters = before;
      this.#audit.rolledBack();
      this.#log.commitFailed(error);
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      this.#answers.rolledBack();
      throw error;
    }
  }

  #writeAlone(op: WriteOperation): WriteResult {
    try {
      return this.#commit([op])[0] ?? ok(0);
    } catch (error) {
      return fail(describeSqlError(error, this.#dataDir));
    }
  }

  #apply(op: WriteOperation): number {
    switch (op.kind) {
      case "accept":
        return this.#accept(op);
      case "audit":
        this.#audit.add(op.audit);
        return 0;
      case "answer":
        this.#answers.add(op.answer);
        return 0;
      case "append":
        return this.#append(op.batch);
      case "epoch":
        this.#putMeta("epoch", op.epoch);
        // The epoch of a new journal is the time of its first start.
        if (this.#counters.history === 0 && this.#readNumber(historySinceMeta) === 0)
          this.#putMeta(historySinceMeta, op.epoch);
        return 0;
      case "skip":
        return this.#addGap(op);
      case "trim":
        return this.#trim(op);
      case "probe":
        this.#putMeta("probe", this.#readNumber("probe") + 1);
        return 0;
      case "cursor":
        this.#sql.putCursor.run(op.name, op.seq);
        return 0;
      default:
        return never(op);
    }
  }

  #accept({ json, audit, answer }: WriteOf<"accept">): number {
    const seq = this.#counters.command + 1;
    this.#sql.addCommand.run(seq, json, rowCrc(json, seq));
    this.#counters = { ...this.#counters, command: seq };
    this.#audit.add(audit);
    if (answer !== undefined) this.#answers.add(answer);
    return seq;
  }

  #append(batch: JournalBatch): number {
    const sql = this.#sql;
    for (const { ref, state } of batch.states)
      if (state === undefined) sql.deleteState.run(ref);
      else sql.putState.run(ref, state, rowCrc(state, ref));
    if (batch.program !== undefined) this.#putMeta("program", batch.program);
    for (const entry of batch.history) this.#addHistory(entry);
    for (const notification of batch.notifications ?? []) {
      const json = JSON.stringify(notification);
      sql.addNotification.run(notification.id, json, rowCrc(json, notification.id));
    }
    for (const id of batch.delivered ?? []) sql.deleteNotification.run(id);
    const { appliedCommandSeq: applied, takenCommandSeq: taken = applied } = batch;
    if (applied > this.#readNumber("applied")) this.#putMeta("applied", applied);
    sql.deleteCommands.run(Math.min(applied, taken));
    return this.#counters.history;
  }

  #addHistory(entry: HistoryEntry): void {
    const seq = this.#counters.history + 1;
    const { atMs, type, key } = entry;
    const ref = key === undefined ? null : refOf(key);
    const json = JSON.stringify(entry);
    this.#sql.addHistory.run(seq, atMs, type, ref, json, rowCrc(json, seq, atMs, type, ref));
    this.#counters = { ...this.#counters, history: seq };
  }

  /** Continues the numbers after the missing ones, which their readers would otherwise take for repetitions. */
  #addGap({ missing, commandSeq, atMs }: WriteOf<"skip">): number {
    const { command, history } = this.#counters;
    this.#counters = { command: Math.max(command, commandSeq), history: Math.max(history, missing.toSeq) };
    this.#addHistory({ atMs, type: "gap", comment: formatMissingRecords(missing) });
    return this.#counters.history;
  }

  #trim({ table, beforeMs, limit }: WriteOf<"trim">): number {
    if (table === "audit") return this.#audit.trim(beforeMs, limit);
    if (table === "answer") return this.#answers.trim(beforeMs, limit);
    const deleted = Number(this.#sql.trim.run(beforeMs, limit).changes);
    if (deleted > 0)
      this.#putMeta(historySinceMeta, Math.max(Math.floor(beforeMs), this.#readNumber(historySinceMeta)));
    return deleted;
  }

  /**
   * Stores the last sequence numbers outside the journal, so that the next start detects a lost end of the journal.
   * Runs after the commit and without a sync: a stored number is on the disk already, and a stale one only detects
   * less.
   */
  #storeEnds(): void {
    try {
      this.#sql.storeEnds.run(this.#counters.history, this.#counters.command, this.#audit.lastSeq());
    } catch {
      // The disk failed after the commit, which is durable. The next write reports the failure.
    }
  }

  /** Detects cursors beyond the end of the journal, which then is an older copy or lost its end. */
  #findMissingRecords(): MissingRecords | undefined {
    const { logMissing } = this.#folder;
    const { command, history } = this.#counters;
    let lastSeen = history;
    let lostCommands = 0;
    let lostAudit = 0;
    for (const [name, seq] of this.#readCursors())
      if (name === endNames.commands) lostCommands = Math.max(0, seq - command);
      else if (name === endNames.audit) lostAudit = Math.max(0, seq - this.#audit.lastSeq());
      else lastSeen = Math.max(lastSeen, seq);
    if (lastSeen === history && lostCommands === 0 && lostAudit === 0 && !logMissing) return undefined;
    return {
      fromSeq: history + 1,
      toSeq: lastSeen,
      ...(lostCommands > 0 && { lostCommands }),
      ...(lostAudit > 0 && { lostAudit }),
      ...(logMissing && { logGone: true }),
    };
  }
}

/** Returns the JSON of a row. Throws when it is damaged. */
function intactJson(row: Record<string, unknown>, key: unknown, what: string): string {
  const json = String(row.json);
  if (!isRowIntact(row.crc, json, String(key))) throw new Error(`${what} is damaged`);
  return json;
}
