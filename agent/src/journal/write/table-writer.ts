import type { DatabaseSync } from "node:sqlite";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import { refOf } from "@realmwatch/shared/model/object-key";
import { ok } from "@realmwatch/shared/model/result";
import { auditChain } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import { alertWriter } from "../alert-table.ts";
import { formatMissingRecords } from "../damage/missing-records.ts";
import type { JournalBatch } from "../journal-batch.ts";
import { historySinceMeta } from "../schema/journal-files.ts";
import { rowCrc } from "../schema/row-crc.ts";
import type { JournalCounters } from "../shipping/journal-position.ts";
import type { PairMeta } from "../shipping/pair-meta.ts";
import { AnswerStore } from "./answer-store.ts";
import type { journalStatements } from "./journal-statements.ts";
import type { WriteOf, WriteOperation, WriteResult } from "./write-operation.ts";

/** Applies operations to the tables of a journal, within transactions of the caller. */
export class TableWriter {
  readonly answers: AnswerStore;
  readonly #sql: ReturnType<typeof journalStatements>;
  readonly #audit: ReturnType<typeof auditChain>;
  readonly #pair: PairMeta | undefined;
  readonly #changeAlerts: ReturnType<typeof alertWriter>;
  /** Last assigned sequence numbers. A failed commit resets them, so that no number is ever skipped. */
  #counters: Omit<JournalCounters, "audit">;
  #committed: Omit<JournalCounters, "audit">;
  /** Counters before the group that is being applied. */
  #before: JournalCounters;

  constructor(db: DatabaseSync, sql: ReturnType<typeof journalStatements>, pair: PairMeta | undefined) {
    this.#sql = sql;
    this.#audit = auditChain(db);
    this.answers = new AnswerStore(db);
    this.#pair = pair;
    this.#changeAlerts = alertWriter(db);
    this.#counters = { command: this.readNumber("last_command"), history: this.readNumber("last_history") };
    this.#committed = this.#counters;
    this.#before = this.counters();
  }

  /** Last assigned sequence numbers, including the open transaction. */
  counters(): JournalCounters {
    return { ...this.#counters, audit: this.#audit.addedSeq() };
  }

  readNumber(name: string): number {
    return Number(this.#sql.meta.get(name)?.value ?? 0);
  }

  putMeta(name: string, value: string | number): void {
    this.#sql.putMeta.run(name, value, rowCrc(String(value), name));
  }

  /** Applies a group of operations in order. */
  apply(ops: readonly WriteOperation[]): readonly WriteResult[] {
    this.#before = this.counters();
    return ops.map((op) => ok(this.#apply(op)));
  }

  /** Stores the last sequence numbers. To be called last in every transaction. */
  storeCounters(): void {
    const { command, history } = this.#counters;
    if (command !== this.#committed.command) this.putMeta("last_command", command);
    if (history !== this.#committed.history) this.putMeta("last_history", history);
    this.#audit.storeHead();
  }

  /** To be called after the transaction was committed. Returns true when a sequence number was assigned. */
  committed(): boolean {
    const auditBefore = this.#audit.lastSeq();
    const before = this.#committed;
    this.#audit.committed();
    this.#pair?.committed();
    this.#committed = this.#counters;
    const { command, history } = this.#counters;
    return command !== before.command || history !== before.history || this.#audit.lastSeq() !== auditBefore;
  }

  /** To be called after the transaction was rolled back. */
  rolledBack(): void {
    this.#counters = this.#committed;
    this.#audit.rolledBack();
    this.#pair?.rolledBack();
    this.answers.rolledBack();
  }

  #apply(op: WriteOperation): number {
    switch (op.kind) {
      case "accept":
        return this.#accept(op);
      case "audit":
        this.#audit.add(op.audit);
        return 0;
      case "answer":
        this.answers.add(op.answer);
        return 0;
      case "append":
        return this.#append(op.batch);
      case "epoch":
        this.putMeta("epoch", op.epoch);
        // The epoch of a new journal is the time of its first start.
        if (this.#counters.history === 0 && this.readNumber(historySinceMeta) === 0)
          this.putMeta(historySinceMeta, op.epoch);
        return 0;
      case "skip":
        return this.#addGap(op);
      case "trim":
        return this.#trim(op);
      case "probe":
        this.putMeta("probe", this.readNumber("probe") + 1);
        return 0;
      case "cursor":
        this.#sql.putCursor.run(op.name, op.seq);
        return 0;
      case "term":
        this.#pair?.beginTerm(op, this.#before);
        return 0;
      case "document":
        this.#pair?.putDocument(op.text);
        return 0;
      case "facts":
        this.#pair?.putFacts(op.json);
        return 0;
      default:
        return never(op);
    }
  }

  #accept({ json, audit, answer, alerts = [] }: WriteOf<"accept">): number {
    const seq = this.#counters.command + 1;
    this.#sql.addCommand.run(seq, json, rowCrc(json, seq));
    this.#counters = { ...this.#counters, command: seq };
    this.#audit.add(audit);
    if (answer !== undefined) this.answers.add(answer);
    this.#changeAlerts(alerts);
    return seq;
  }

  #append(batch: JournalBatch): number {
    const sql = this.#sql;
    for (const { ref, state } of batch.states)
      if (state === undefined) sql.deleteState.run(ref);
      else sql.putState.run(ref, state, rowCrc(state, ref));
    if (batch.program !== undefined) this.putMeta("program", batch.program);
    if (batch.merged === undefined || this.#isNewMerge(batch.merged))
      for (const entry of batch.history) this.#addHistory(entry);
    for (const notification of batch.notifications ?? []) {
      const json = JSON.stringify(notification);
      sql.addNotification.run(notification.id, json, rowCrc(json, notification.id));
    }
    for (const id of batch.delivered ?? []) sql.deleteNotification.run(id);
    const { appliedCommandSeq: applied, takenCommandSeq: taken = applied } = batch;
    if (applied > this.readNumber("applied")) this.putMeta("applied", applied);
    sql.deleteCommands.run(Math.min(applied, taken));
    return this.#counters.history;
  }

  /** Notes that records of another member are merged; false when they are already. */
  #isNewMerge({ from, seq }: NonNullable<JournalBatch["merged"]>): boolean {
    const name = `pair_merged ${from}`;
    if (this.readNumber(name) >= seq) return false;
    this.putMeta(name, seq);
    return true;
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
    if (table === "answer") return this.answers.trim(beforeMs, limit);
    const deleted = Number(this.#sql.trim.run(beforeMs, limit).changes);
    if (deleted > 0) this.putMeta(historySinceMeta, Math.max(Math.floor(beforeMs), this.readNumber(historySinceMeta)));
    return deleted;
  }
}
