import { statSync } from "node:fs";
import { join } from "node:path";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import { damageCounter } from "@realmwatch/shared/platform/sqlite/damage-counter";
import { freeDiskBytes } from "@realmwatch/shared/platform/sqlite/free-disk-space";
import { startRetention } from "@realmwatch/shared/platform/sqlite/retention";
import { answerRetentionMs, type KeptAnswer, type KeyedCall } from "./command-answer.ts";
import type { MissingRecords } from "./damage/missing-records.ts";
import type { JournalBatch } from "./journal-batch.ts";
import type { CommandRecords, JournalHealth, JournalOptions, JournalRecovery } from "./journal-contract.ts";
import { JournalQueries, type ReaderThread } from "./journal-queries.ts";
import { recoverJournal } from "./recover-journal.ts";
import { cursorFile, journalFile } from "./schema/journal-files.ts";
import type { CursorEntries, GroupShipping, GroupWaiter } from "./shipping/group-shipping.ts";
import { GroupCommit } from "./write/group-commit.ts";
import type { JournalStore } from "./write/journal-store.ts";
import type { StoredObjectState } from "./write/recovery-records.ts";
import type { WriteOf, WriteOperation } from "./write/write-operation.ts";

type JournalThreads = { readonly writer: ThreadClient<JournalStore>; readonly reader: ReaderThread };

/**
 * Durable store of a realm. Writes and reads run in a thread each, so that the calling thread never waits for the disk.
 * Methods never reject, except `recover`.
 */
export class Journal extends JournalQueries {
  readonly #options: JournalOptions;
  readonly #writer: JournalThreads["writer"];
  readonly #cursors: Map<string, number>;
  readonly #commits: GroupCommit;
  readonly #damage: ReturnType<typeof damageCounter>;
  readonly #stopRetention: readonly (() => void)[];
  #missing: MissingRecords | undefined;
  #lastCommandSeq = 0;

  constructor(options: JournalOptions, { writer, reader }: JournalThreads, cursors: CursorEntries) {
    const damage = damageCounter((what) => options.onDamage?.(what));
    super({ realm: options.realm, onDamagedRecord: damage.add }, reader);
    this.#options = options;
    this.#writer = writer;
    this.#cursors = new Map(cursors);
    const { clock, historyRetentionMs, auditRetentionMs = Number.MAX_SAFE_INTEGER } = options;
    this.#commits = new GroupCommit({
      clock,
      onSync: (ms) => options.onSync?.(ms),
      ...journalWrites(writer, options.pair),
    });
    this.#damage = damage;
    this.#stopRetention = [
      this.#startRetention("history", historyRetentionMs),
      this.#startRetention("audit", auditRetentionMs),
      this.#startRetention("answer", answerRetentionMs),
    ];
  }

  /**
   * Reads all stored records. Must be called once, before the first write. Rejects with a sentence that the journal is
   * damaged when a stored record is damaged or `take` throws.
   *
   * @param take receives all states before the promise resolves, each once, in slices of at most some thousand. The
   *             next slice is read meanwhile, so that the JSON of all states is never in memory at once
   */
  async recover(take: (states: readonly StoredObjectState[]) => void): Promise<JournalRecovery> {
    const recovered = await recoverJournal(this.#writer, this.#options, take);
    this.#missing = recovered.missing;
    this.#lastCommandSeq = recovered.lastCommandSeq;
    return recovered;
  }

  /**
   * Stores a command, which is durable when the promise resolves with it. Commands of one turn of the event loop share
   * one sync; `records` are stored with the command or not at all. A refused command is not stored, except
   * when the disk failed during the write and the process ended before the disk recovered. `unavailable`: the disk is
   * full, read-only or gone. `exhausted`: too many commands wait for the disk.
   */
  async accept(
    command: Omit<AcceptedCommand, "seq">,
    { audit = [], ...records }: CommandRecords = {},
  ): Promise<Result<AcceptedCommand, Refusal>> {
    const json = JSON.stringify(command);
    const result = await this.#commits.accept({ json, audit: audit.map(auditLineOf), ...records });
    if (!result.ok) return result;
    this.#lastCommandSeq = Math.max(this.#lastCommandSeq, result.value);
    return ok({ seq: result.value, ...command });
  }

  /** Stores the answer to a call that was refused for good; durable when it resolves with ok. */
  keepAnswer(answer: KeptAnswer): Promise<Result<unknown, Refusal>> {
    return this.#commits.put({ kind: "answer", answer });
  }

  /**
   * Finds the answer to an earlier call of the same identity and key. `unavailable`: the disk cannot be read.
   * `unanswered`: there is one, and this member of a pair gave up its role before the other one had confirmed it.
   */
  async answerTo(call: Pick<KeyedCall, "identity" | "key">): Promise<Result<KeptAnswer | undefined, Refusal>> {
    try {
      // The writer's thread, not the reader's, so that a command never waits for a query of history.
      const kept = await this.#writer.request("findAnswer", call);
      const { pair } = this.#options;
      // A repeat is answered no sooner than the first call: the standby may lack what is stored here.
      const confirmed = kept && (await pair?.confirmed(pair.lastPosition(), "client"));
      return confirmed?.ok === false ? fail({ kind: "unanswered", what: confirmed.error }) : ok(kept);
    } catch (error) {
      return fail({ kind: "unavailable", what: `the journal cannot be read: ${errorText(error)}` });
    }
  }

  /** Stores audit records without a command; durable when it resolves with ok. `unavailable` as for `accept`. */
  async audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>> {
    const result = await this.#commits.put({ kind: "audit", audit: records.map(auditLineOf) });
    return result.ok ? ok(undefined) : result;
  }

  /**
   * Stores a batch; durable when it resolves with ok. `unavailable` as for `accept`: no part of the batch was stored.
   */
  async append(batch: JournalBatch): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>> {
    const result = await this.#commits.put({ kind: "append", batch });
    return result.ok ? ok({ lastHistorySeq: result.value }) : result;
  }

  /** Last seq that the reader `name` has processed; 0 at first. */
  async cursor(name: string): Promise<number> {
    return this.#cursors.get(name) ?? 0;
  }

  /** All cursors. */
  cursors(): CursorEntries {
    return [...this.#cursors];
  }

  /**
   * Stores a cursor without a sync: it survives a killed process, and after a power cut a reader may repeat records.
   */
  async setCursor(name: string, seq: number): Promise<void> {
    this.#cursors.set(name, seq);
    await this.#commits.put({ kind: "cursor", name, seq });
  }

  /** Commits a group, with which the other member of a pair gets the cursors that were stored last. */
  shareCursors(): Promise<unknown> {
    return this.#commits.put({ kind: "probe" });
  }

  /** Sequence number of the newest accepted command; 0 for none. */
  lastCommandSeq(): number {
    return this.#lastCommandSeq;
  }

  /**
   * Notes that another program has seen records which this journal lacks, because it is an older copy: adds a record of
   * type `gap`, and continues the numbers of history and commands after the lost ones.
   */
  async noteLost(
    missing: MissingRecords,
    commandSeq: number,
  ): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>> {
    const atMs = this.#options.clock.now();
    const result = await this.#commits.put({ kind: "skip", missing, commandSeq, atMs });
    if (!result.ok) return result;
    this.#lastCommandSeq = Math.max(this.#lastCommandSeq, commandSeq);
    return ok({ lastHistorySeq: result.value });
  }

  /** Stores the epoch in place of the one before, which is greater when the clock was ahead at an earlier start. */
  keepEpoch(epoch: number): Promise<Result<unknown, Refusal>> {
    return this.#commits.put({ kind: "epoch", epoch });
  }

  /** Begins a term of a pair, whose member became active: with the first group of the term. */
  beginTerm(term: number, member: string): Promise<Result<unknown, Refusal>> {
    return this.#commits.put({ kind: "term", term, member });
  }

  /** Stores the running document for the other member of a pair. */
  keepDocument(text: string): Promise<Result<unknown, Refusal>> {
    return this.#commits.put({ kind: "document", text });
  }

  /** Stores what this member of a pair notes for itself; durable when it resolves with ok. */
  keepPairFacts(json: string): Promise<Result<unknown, Refusal>> {
    return this.#commits.put({ kind: "facts", json });
  }

  /** Counts a damaged record that another reader of this journal has met. */
  noteDamagedRecord(what: string): void {
    this.#damage.add(what);
  }

  health(): JournalHealth {
    const { dataDir } = this.#options;
    const { error } = this.#commits;
    return {
      writable: error === "",
      error: error || this.readError,
      bytes: bytesOf(dataDir),
      freeBytes: freeDiskBytes(dataDir),
      missing: this.#missing,
      damagedRecords: this.#damage.count(),
    };
  }

  /** Waits for pending requests, then releases the data directory. */
  async close(): Promise<void> {
    for (const stop of this.#stopRetention) stop();
    await this.#commits.close();
    await this.closeReader();
    await Promise.allSettled([this.#writer.request("close")]);
    await this.#writer.terminate();
  }

  #startRetention(table: WriteOf<"trim">["table"], retentionMs: number): () => void {
    return startRetention({
      clock: this.#options.clock,
      retentionMs,
      trim: async (beforeMs, limit) => {
        const trimmed = await this.#commits.put({ kind: "trim", table, beforeMs, limit });
        return trimmed.ok ? trimmed.value : undefined;
      },
    });
  }
}

const auditLineOf = (record: AuditRecord) => ({ atMs: record.atMs, json: JSON.stringify(record) });

const bytesOf = (dataDir: string): number =>
  [journalFile, `${journalFile}-wal`, cursorFile, `${cursorFile}-wal`].reduce(
    (sum, file) => sum + (statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** Writes of a journal's `GroupCommit`: with `pair`, what was committed goes to it, and it says when to answer. */
function journalWrites(writer: Pick<ThreadClient<JournalStore>, "request">, pair: GroupShipping | undefined) {
  if (pair === undefined) return { write: (ops: readonly WriteOperation[]) => writer.request("write", ops) };
  return {
    async write(ops: readonly WriteOperation[]) {
      const written = await writer.request("writeShipped", ops);
      const isStored = (op: WriteOperation, i: number): boolean =>
        op.kind === "cursor" && written.results[i]?.ok === true;
      const cursors = ops.filter(isStored) as WriteOf<"cursor">[];
      pair.take(
        written,
        cursors.map(({ name, seq }) => [name, seq]),
      );
      return written.results;
    },
    confirmed: (waiter: GroupWaiter) => pair.confirmed(pair.lastPosition(), waiter),
  };
}
