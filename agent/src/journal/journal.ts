import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { HistoryEntry, HistoryRecord } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { RecordedPast, PastQuery } from "@realmwatch/shared/read-model/past/past-records";
import type { HistoryAnswer, HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import type { Selector } from "@realmwatch/shared/text/selector";
import type { MissingRecords, StoredObjectState } from "./threads/journal-protocol.ts";

/** An object's state as JSON; undefined deletes it. */
export type StateChange = { readonly ref: string; readonly state: string | undefined };

/** What one tick of the realm loop changed. Kept whole or not at all. */
export type JournalBatch = {
  /** Slices of at most some thousand keep the time short that commands wait behind one. */
  readonly states: readonly StateChange[];
  /** The realm-wide state (toggles, contacts) as JSON, when it changed. */
  readonly program: string | undefined;
  /** The journal gives each its seq, in this order. */
  readonly history: readonly HistoryEntry[];
  /** All commands up to this one are in the states: they are forgotten with this batch. */
  readonly appliedCommandSeq: number;
  /** What all commands up to this one had to tell is in the history; left out it is that one. */
  readonly recordedCommandSeq?: number;
  /** Decided and to be delivered. Kept until `delivered` names them. */
  readonly notifications?: readonly Notification[];
  /** Ids of notifications whose delivery has ended, well or not. What is not kept is ignored. */
  readonly delivered?: readonly string[];
};

/** Everything kept but the objects' states. */
export type RecoveredJournal = {
  readonly program: string | undefined;
  /** Accepted and not yet applied, in order. */
  readonly commands: readonly AcceptedCommand[];
  /** Decided, and their delivery has not ended: in order of decision. */
  readonly notifications: readonly Notification[];
  readonly lastHistorySeq: number;
  readonly lastCommandSeq: number;
  /** History has what commands up to this one did, though the states may not. */
  readonly recordedCommandSeq: number;
  /** The greatest one kept; 0 means never. */
  readonly epoch: number;
  /**
   * Set where a cursor had seen more history than the journal still has (a lost disk, an older backup). The
   * history then has a record of type `gap`, and numbers go on behind it. Say it loudly.
   */
  readonly missing: MissingRecords | undefined;
};

export type JournalHealth = {
  /** False from the first write that failed until one succeeds; a probe tries every 5 s. */
  readonly writable: boolean;
  /** Why it is not writable, or why history cannot be read; empty where all is well. */
  readonly error: string;
  /** Commands that wait for the disk. */
  readonly waitingCommands: number;
  /** Questions about history that wait. */
  readonly waitingReads: number;
  /** What the journal takes on the disk, bytes. */
  readonly bytes: number;
  /** What the disk has left for it, bytes. */
  readonly freeBytes: number;
  readonly missing: MissingRecords | undefined;
  /** Records of history and audit that were damaged when they were read, each once; 0 to 1000. */
  readonly damagedRecords: number;
};

/** What a realm never forgets. Methods never reject, except `recover`. */
export interface Journal {
  /**
   * Reads everything kept. Call it once, before anything else is written. Rejects with a sentence that calls the
   * journal damaged: where a record on the disk is, and where `take` throws.
   *
   * @param take is handed all states before this resolves, each once: in slices of at most some thousand, each while
   *             the next one is read, so that they are never in memory all at once as JSON
   */
  recover(take: (states: readonly StoredObjectState[]) => void): Promise<RecoveredJournal>;
  /**
   * Durable when it resolves with a command; what it refuses has left no trace, or came to pass after all where the
   * disk failed in the middle of it and the process ended before the disk was well. Commands of one tick share
   * one sync; `audit` is kept with the command or not at all. `unavailable`: the disk is full, read-only or gone. `exhausted`: too many wait already.
   */
  accept(
    command: Omit<AcceptedCommand, "seq">,
    audit?: readonly AuditRecord[],
  ): Promise<Result<AcceptedCommand, Refusal>>;
  /** Audit records of what is no accepted command. Durable when it resolves with ok; `unavailable` as above. */
  audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>>;
  /** Newest first: those since `sinceMs`, which left out means all. `unavailable`: the disk cannot be read. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
  /** Durable when it resolves with ok. `unavailable` as above: nothing of the batch was kept, append it again. */
  append(batch: JournalBatch): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  /** Newest first. Never waits for a write. `malformed`: no page token of ours. */
  history(query: HistoryQuery): Promise<Result<HistoryAnswer, Refusal>>;
  /** What is recorded around an instant, read in slices. Never waits for a write. */
  past(question: PastQuery): Promise<Result<RecordedPast, Refusal>>;
  /**
   * Records with a greater seq, oldest first; fewer than `limit` means that there are no more for now. Where
   * retention was faster than the reader the first seq is not the next one. Empty also where the disk cannot be read.
   */
  historyAfter(seq: number, limit: number): Promise<readonly HistoryRecord[]>;
  /** The last seq that the reader called `name` is done with; 0 at first. */
  cursor(name: string): Promise<number>;
  /** Survives a killed process; a power cut may put it back a little, so that a reader repeats what it sent. */
  setCursor(name: string, seq: number): Promise<void>;
  /**
   * Makes the next record's seq greater than `seq`, with a record of type `gap` before it: for when somebody else
   * knows of history that this journal has not (an older copy of it was restored). Otherwise changes nothing.
   */
  skipHistoryTo(seq: number): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  /** A smaller one than the kept one changes nothing. */
  keepEpoch(epoch: number): Promise<Result<void, Refusal>>;
  health(): JournalHealth;
  /** Waits for what was asked before, then lets go of the data directory. */
  close(): Promise<void>;
}

export type JournalOptions = {
  /** Made with mode 0700 where it is missing. */
  readonly dataDir: string;
  readonly realm: string;
  /** History older than this goes, ms. */
  readonly historyRetentionMs: number;
  /** Audit records older than this go, ms; without it none do. */
  readonly auditRetentionMs?: number;
  /** Called with the time of each write and sync, ms. */
  onSync?(ms: number): void;
  /** Called with the name of the first record that is damaged when it is read, such as `history record 7`. */
  onDamage?(what: string): void;
  readonly clock: Clock;
  /** What a selector matches now; without it a query with one finds nothing. */
  refsMatching?(selector: Selector): readonly string[];
};
