import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import type { Interval } from "@realmwatch/shared/availability/interval";
import type { ObjectRecords } from "@realmwatch/shared/availability/object-records";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { PastQuery, RecordedPast } from "@realmwatch/shared/read-model/past/past-records";
import type { HistoryAnswer, HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import type { Selector } from "@realmwatch/shared/text/selector/selector";
import type { KeptAnswer, KeyedCall } from "./command-answer.ts";
import type { MissingRecords } from "./damage/missing-records.ts";
import type { JournalBatch } from "./journal-batch.ts";
import type { StoredObjectState } from "./threads/journal-protocol.ts";

/** Stored records that a start needs, except the states of objects. */
export type JournalRecovery = {
  readonly program: string | undefined;
  /** Accepted commands that are not yet applied, in order. */
  readonly commands: readonly AcceptedCommand[];
  /** Applied commands whose performance data may not be in the log of the sinks, in order. */
  readonly appliedCommands: readonly AcceptedCommand[];
  /** Notifications whose delivery has not ended, in order of decision. */
  readonly notifications: readonly Notification[];
  readonly lastHistorySeq: number;
  readonly lastCommandSeq: number;
  /** Stored epoch; 0 when there is none. */
  readonly epoch: number;
  /**
   * Set when a cursor has seen more history than the journal has, because the disk was lost or an older backup
   * restored. History then contains a record of type `gap`, and its numbers continue after the missing ones. Log it as
   * an error.
   */
  readonly missing: MissingRecords | undefined;
};

export type JournalHealth = {
  /** False from the first failed write until one succeeds; a probe tries every 5 s. */
  readonly writable: boolean;
  /** Reason why the journal is not writable or history not readable; empty when both work. */
  readonly error: string;
  /** Number of commands that wait for the disk. */
  readonly waitingCommands: number;
  /** Number of pending history queries. */
  readonly waitingReads: number;
  /** Size of the journal on the disk, bytes. */
  readonly bytes: number;
  /** Free space of its disk, bytes. */
  readonly freeBytes: number;
  readonly missing: MissingRecords | undefined;
  /** Number of distinct history and audit records that were damaged when read; 0 to 1000. */
  readonly damagedRecords: number;
};

/** Durable store of a realm. Methods never reject, except `recover`. */
export interface Journal {
  /**
   * Reads all stored records. Must be called once, before the first write. Rejects with a sentence that the journal is
   * damaged when a stored record is damaged or `take` throws.
   *
   * @param take receives all states before the promise resolves, each once, in slices of at most some thousand. The
   *             next slice is read meanwhile, so that the JSON of all states is never in memory at once
   */
  recover(take: (states: readonly StoredObjectState[]) => void): Promise<JournalRecovery>;
  /**
   * Stores a command, which is durable when the promise resolves with it. Commands of one turn of the event loop share
   * one sync; `audit` and `answer` are stored with the command or not at all. A refused command is not stored, except when the disk
   * failed during the write and the process ended before the disk recovered. `unavailable`: the disk is full, read-only
   * or gone. `exhausted`: too many commands wait for the disk.
   */
  accept(
    command: Omit<AcceptedCommand, "seq">,
    audit?: readonly AuditRecord[],
    answer?: KeptAnswer,
  ): Promise<Result<AcceptedCommand, Refusal>>;
  /** Stores the answer to a call that was refused for good; durable when it resolves with ok. */
  keepAnswer(answer: KeptAnswer): Promise<Result<void, Refusal>>;
  /** Finds the answer to an earlier call of the same identity and key. `unavailable`: the disk cannot be read. */
  answerTo(call: Pick<KeyedCall, "identity" | "key">): Promise<Result<KeptAnswer | undefined, Refusal>>;
  /** Stores audit records without a command; durable when it resolves with ok. `unavailable` as for `accept`. */
  audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>>;
  /** Reads audit records since `sinceMs`, or all, newest first. `unavailable`: the disk cannot be read. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
  /**
   * Stores a batch; durable when it resolves with ok. `unavailable` as for `accept`: no part of the batch was stored.
   */
  append(batch: JournalBatch): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  /**
   * Reads a page of history, newest first. Never waits for a write. `malformed`: the page token is invalid.
   *
   * @param refsMatching default: a query with a selector has no result
   */
  history(query: HistoryQuery, refsMatching?: FindMatchingRefs): Promise<Result<HistoryAnswer, Refusal>>;
  /** Reads the records around an instant, in slices. Never waits for a write. */
  pastRecords(question: PastQuery): Promise<Result<RecordedPast, Refusal>>;
  /** Reads state changes and downtimes of objects around a range, in slices. Never waits for a write. */
  objectRecords(refs: readonly string[], range: Interval): Promise<Result<ReadonlyMap<string, ObjectRecords>, Refusal>>;
  /** Reads the times around a range for which history is complete. */
  coverage(range: Interval): Promise<Result<HistoryCoverage, Refusal>>;
  /**
   * Reads records with a greater seq, oldest first; fewer than `limit` when there are no more for now. The first seq is
   * not the next one when retention removed records that were not read. Empty also when the disk cannot be read.
   */
  historyAfter(seq: number, limit: number): Promise<readonly HistoryRecord[]>;
  /** Last seq that the reader `name` has processed; 0 at first. */
  cursor(name: string): Promise<number>;
  /**
   * Stores a cursor without a sync: it survives a killed process, and after a power cut a reader may repeat records.
   */
  setCursor(name: string, seq: number): Promise<void>;
  /** Sequence number of the newest accepted command; 0 for none. */
  lastCommandSeq(): number;
  /**
   * Notes that another program has seen records which this journal lacks, because it is an older copy: adds a record of
   * type `gap`, and continues the numbers of history and commands after the lost ones.
   */
  noteLost(
    missing: MissingRecords,
    lastCommandSeq: number,
  ): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  /** Stores the epoch in place of the one before, which is greater when the clock was ahead at an earlier start. */
  keepEpoch(epoch: number): Promise<Result<void, Refusal>>;
  health(): JournalHealth;
  /** Waits for pending requests, then releases the data directory. */
  close(): Promise<void>;
}

/** Returns the references of the objects that a selector matches now. */
export type FindMatchingRefs = (selector: Selector) => readonly string[];

export type JournalOptions = {
  /** Created with mode 0700 when missing. */
  readonly dataDir: string;
  readonly realm: string;
  /** Age after which history is deleted, ms. */
  readonly historyRetentionMs: number;
  /** Age after which audit records are deleted, ms; undefined for never. */
  readonly auditRetentionMs?: number;
  /** Called with the duration of each write and sync, ms. */
  onSync?(ms: number): void;
  /** Called with the name of the first damaged record that is read, such as `history record 7`. */
  onDamage?(what: string): void;
  readonly clock: Clock;
};
