import type { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FolderLock } from "@realmwatch/shared/platform/sqlite/folder-lock";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { walGuard } from "@realmwatch/shared/platform/sqlite/wal-guard";
import type { KeptAnswer, KeyedCall } from "../command-answer.ts";
import type { MissingRecords } from "../damage/missing-records.ts";
import { endNames } from "../schema/cursor-table.ts";
import { type JournalPlace, openJournalFile } from "../schema/journal-schema.ts";
import { intactJson } from "../schema/row-crc.ts";
import type { JournalGroup, ShippedWrite } from "../shipping/group-shipping.ts";
import type { JournalPosition } from "../shipping/journal-position.ts";
import { DivergedError, PairMeta } from "../shipping/pair-meta.ts";
import { journalStatements } from "./journal-statements.ts";
import type { RecoveryHead, StoredStateSlice } from "./recovery-records.ts";
import { TableWriter } from "./table-writer.ts";
import type { WriteOperation, WriteResult } from "./write-operation.ts";

/** Reserves the data directory and opens its journal for writing; fails with a sentence. */
export const openJournalStore = (place: JournalPlace): Result<JournalStore, string> =>
  openJournalFile(place, (db, folder) => new JournalStore(db, folder, place));

/** Journal as the writer thread sees it: all writes, in one database connection. */
export class JournalStore {
  readonly #db: DatabaseSync;
  readonly #folder: FolderLock;
  readonly #dataDir: string;
  readonly #sql: ReturnType<typeof journalStatements>;
  readonly #tables: TableWriter;
  readonly #log: ReturnType<typeof walGuard>;
  /** Values of a pair; undefined without a pair. */
  readonly pair: PairMeta | undefined;

  /** @param folder reserved data directory, whose lock database holds the cursors */
  constructor(db: DatabaseSync, folder: FolderLock, { dataDir, pair }: JournalPlace) {
    this.#db = db;
    this.#folder = folder;
    this.#dataDir = dataDir;
    this.#sql = journalStatements(db, folder.database);
    this.#log = walGuard(db);
    if (pair !== undefined) this.pair = new PairMeta(db);
    this.#tables = new TableWriter(db, this.#sql, this.pair);
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

  /** Writes as `write` does; returns the groups that it committed for the other member of the pair. */
  writeShipped(ops: readonly WriteOperation[]): ShippedWrite {
    const results = this.write(ops);
    const groups = this.pair?.takeGroups() ?? [];
    const { terms, counters } = this.end();
    return { results, groups, counters, ...(ops.some(({ kind }) => kind === "term") && { terms }) };
  }

  /**
   * Makes groups of the active member of the pair durable, all or none; those that it has already are left out. Throws
   * what SQLite does, an error when a group is missing between, or `DivergedError`.
   */
  applyGroups(groups: readonly JournalGroup[]): void {
    const { pair } = this;
    if (pair === undefined) throw new DivergedError("the journal belongs to no pair");
    this.#transact(true, () => {
      for (const group of groups) {
        if (group.position <= pair.position) continue;
        if (group.position !== pair.position + 1)
          throw new Error(`group ${group.position} does not follow group ${pair.position}`);
        this.#tables.apply(group.ops);
        pair.moveTo(group.position);
        const mismatch = pair.mismatch(group, this.#tables.counters());
        if (mismatch !== undefined) throw new DivergedError(mismatch);
      }
    });
  }

  /** End of the journal: what is committed. */
  end(): JournalPosition {
    const counters = this.#tables.counters();
    const { position, terms } = this.pair?.end() ?? { position: 0, terms: [] };
    const empty =
      position === 0 && Object.values(counters).every((seq) => seq === 0) && this.#tables.readNumber("epoch") === 0;
    return { position, terms, counters, empty };
  }

  /** Must be called first. Throws a sentence when a record is damaged. */
  recover(nowMs: number): RecoveryHead {
    const missing = this.#findMissingRecords();
    const commandSeq = this.#tables.counters().command + (missing?.lostCommands ?? 0);
    if (missing) this.#writeAlone({ kind: "skip", missing, commandSeq, atMs: nowMs });
    const applied = this.#tables.readNumber("applied");
    const commands = this.#sql.commands
      .all()
      .map((row) => ({ seq: Number(row.seq), json: intactJson(row, row.seq, `command ${row.seq}`) }));
    return {
      program: this.#sql.meta.get("program")?.value as string | undefined,
      commands: commands.filter(({ seq }) => seq > applied),
      appliedCommands: commands.filter(({ seq }) => seq <= applied),
      notifications: this.#sql.notifications.all().map((row) => intactJson(row, row.id, `notification "${row.id}"`)),
      lastHistorySeq: this.#tables.counters().history,
      lastCommandSeq: this.#tables.counters().command,
      epoch: this.#tables.readNumber("epoch"),
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
    return this.#tables.answers.find(call);
  }

  cursors(): readonly (readonly [name: string, seq: number])[] {
    return this.#readCursors().filter(([name]) => !name.startsWith("#"));
  }

  close(): void {
    this.#db.close();
    this.#folder.release();
  }

  #readCursors(): (readonly [name: string, seq: number])[] {
    return this.#sql.cursors.all().map((row) => [String(row.name), Number(row.seq)]);
  }

  /** Writes all operations in one transaction, which is durable on return. Throws the errors of SQLite. */
  #commit(ops: readonly WriteOperation[]): readonly WriteResult[] {
    // Cursors are in a file of their own and need no sync: a stale cursor only makes its reader repeat records.
    const journalled = ops.some((op) => op.kind !== "cursor");
    return this.#transact(journalled, () => {
      const results = this.#tables.apply(ops);
      this.pair?.count(ops, this.#tables.counters());
      return results;
    });
  }

  #transact<T>(journalled: boolean, apply: () => T): T {
    try {
      if (journalled) this.#log.resetIfUntrusted();
      if (journalled) this.#db.exec("BEGIN IMMEDIATE");
      const result = apply();
      this.#tables.storeCounters();
      if (journalled) this.#db.exec("COMMIT");
      if (this.#tables.committed()) this.#storeEnds();
      return result;
    } catch (error) {
      this.#log.commitFailed(error);
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      this.#tables.rolledBack();
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

  /**
   * Stores the last sequence numbers outside the journal, so that the next start detects a lost end of the journal.
   * Runs after the commit and without a sync: a stored number is on the disk already, and a stale one only detects
   * less.
   */
  #storeEnds(): void {
    try {
      const { history, command, audit } = this.#tables.counters();
      this.#sql.storeEnds.run(history, command, audit);
    } catch {
      // The disk failed after the commit, which is durable. The next write reports the failure.
    }
  }

  /** Detects cursors beyond the end of the journal, which then is an older copy or lost its end. */
  #findMissingRecords(): MissingRecords | undefined {
    const { logMissing } = this.#folder;
    const { command, history, audit } = this.#tables.counters();
    let lastSeen = history;
    let lostCommands = 0;
    let lostAudit = 0;
    for (const [name, seq] of this.#readCursors())
      if (name === endNames.commands) lostCommands = Math.max(0, seq - command);
      else if (name === endNames.audit) lostAudit = Math.max(0, seq - audit);
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
