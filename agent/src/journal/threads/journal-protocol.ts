import type { StoredAuditRecord } from "@realmwatch/shared/model/audit";
import type { HistoryType } from "@realmwatch/shared/model/history";
import type { AuditEntry } from "@realmwatch/shared/platform/audit-chain/audit-chain";

/** One history record on its way to the disk. */
export type HistoryInsert = {
  readonly atMs: number;
  readonly type: HistoryType;
  /** Null where the record is of the whole realm. */
  readonly ref: string | null;
  /** The whole HistoryEntry. */
  readonly json: string;
};

/** What the writing thread is asked to make durable. Plain data: it crosses threads. */
export type WriteOperation =
  | {
      readonly kind: "accept";
      /** AcceptedCommand without its seq. */
      readonly json: string;
      readonly audit: readonly AuditEntry[];
    }
  | { readonly kind: "audit"; readonly audit: readonly AuditEntry[] }
  | {
      readonly kind: "append";
      readonly states: readonly (readonly [ref: string, json: string | undefined])[];
      readonly program: string | undefined;
      readonly history: readonly HistoryInsert[];
      readonly appliedCommandSeq: number;
      readonly recordedCommandSeq: number;
      readonly notifications: readonly (readonly [id: string, json: string])[];
      /** Ids of notifications. */
      readonly delivered: readonly string[];
    }
  | { readonly kind: "epoch"; readonly epoch: number }
  | { readonly kind: "trim"; readonly beforeMs: number; readonly limit: number }
  | { readonly kind: "trim_audit"; readonly beforeMs: number; readonly limit: number }
  /** Leaves out numbers of history, so that the next one is greater than `seq`. */
  | { readonly kind: "skip"; readonly seq: number; readonly gap?: MissingRecords; readonly atMs: number }
  /** Writes something small, to learn whether the disk takes it again. */
  | { readonly kind: "probe" }
  | { readonly kind: "cursor"; readonly name: string; readonly seq: number };

/** `value`: seq of an accepted command; last history seq after an append or skip; records gone after a trim; else 0. */
export type WriteResult =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly error: string };

export type WriterRequest =
  | { readonly kind: "write"; readonly ops: readonly WriteOperation[] }
  | { readonly kind: "recover"; readonly nowMs: number }
  /** The next states after a row id, for a recovery in slices. */
  | { readonly kind: "states"; readonly afterId: number; readonly limit: number }
  | { readonly kind: "close" };

/** What was on this disk once, or was seen by a cursor, and the journal no longer has. */
export type MissingRecords = {
  readonly fromSeq: number;
  /** Less than `fromSeq` where no history is missing. */
  readonly toSeq: number;
  /** Accepted commands that are missing; left out where none are. */
  readonly lostCommands?: number;
  /** Audit records that are missing; left out where none are. */
  readonly lostAudit?: number;
  /** Set where a log was deleted that held the newest notes of how far the journal got: more may be missing. */
  readonly logGone?: boolean;
};

export type RecoveryHead = {
  readonly program: string | undefined;
  /** Accepted and not applied. */
  readonly commands: readonly { readonly seq: number; readonly json: string }[];
  /** JSON of those whose delivery has not ended, in order of decision. */
  readonly notifications: readonly string[];
  readonly lastHistorySeq: number;
  readonly lastCommandSeq: number;
  readonly recordedCommandSeq: number;
  readonly epoch: number;
  readonly missing: MissingRecords | undefined;
};

/** An object's state as JSON. */
export type StoredObjectState = readonly [ref: string, json: string];

export type StoredStateSlice = {
  readonly states: readonly StoredObjectState[];
  /** Where the next slice begins; undefined where this was the last. */
  readonly nextAfterId: number | undefined;
};

export type WriterResponses = {
  readonly write: readonly WriteResult[];
  readonly recover: RecoveryHead;
  readonly states: StoredStateSlice;
  readonly close: null;
};

/** A page of history as SQL sees it. Newest first: by time, then by seq. */
export type HistoryPageRequest = {
  /** Undefined means any object and none. */
  readonly refs: readonly string[] | undefined;
  /** Empty means all. */
  readonly types: readonly string[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Only what is older than this record. */
  readonly before: { readonly atMs: number; readonly seq: number } | undefined;
  readonly limit: number;
};

export type HistoryRow = {
  readonly seq: number;
  readonly atMs: number;
  /** Undefined where the record on disk is damaged. */
  readonly json: string | undefined;
};

/** Where a walk through the records of some types goes on: behind this record. */
export type RecordPosition = { readonly atMs: number; readonly seq: number };

/** What there is of an object's states around an instant. */
export type StatesAroundInstant = {
  readonly ref: string;
  /** The first change of state after it. */
  readonly next: HistoryRow | undefined;
  /** Newest first; see `ObjectPast`. */
  readonly before: readonly HistoryRow[];
};

/** `rows`: records in the order of time. `next`: where to go on; undefined behind the last one. */
export type TypedRecordsSlice = { readonly rows: readonly HistoryRow[]; readonly next: RecordPosition | undefined };

export type ReaderRequest =
  | { readonly kind: "page"; readonly page: HistoryPageRequest }
  | { readonly kind: "after"; readonly seq: number; readonly limit: number }
  /** Whether there is a record at the instant or before. */
  | { readonly kind: "past_reaches"; readonly atMs: number }
  /** The objects whose state changed after the instant; undefined where there are more than `limit` such records. */
  | { readonly kind: "past_changed"; readonly atMs: number; readonly limit: number }
  /** Of these objects, those that changed after the instant or that are in `lookBack`. */
  | {
      readonly kind: "past_states";
      readonly atMs: number;
      readonly refs: readonly string[];
      readonly lookBack: readonly string[];
    }
  /** Of a few objects: the records of `laterTypes`, and of downtimes up to the instant that could last until it. */
  | { readonly kind: "past_notes"; readonly atMs: number; readonly refs: readonly string[] }
  /** Records of one type: after the instant, or those up to it of downtimes that could last until it. */
  | {
      readonly kind: "past_typed";
      readonly type: HistoryType;
      readonly side: "later" | "before";
      readonly atMs: number;
      readonly from: RecordPosition | undefined;
      readonly limit: number;
    }
  | { readonly kind: "audit"; readonly sinceMs: number | undefined; readonly limit: number }
  | { readonly kind: "close" };

export type ReaderResponses = {
  readonly page: readonly HistoryRow[];
  readonly after: readonly HistoryRow[];
  readonly past_reaches: boolean;
  readonly past_changed: readonly string[] | undefined;
  readonly past_states: readonly StatesAroundInstant[];
  readonly past_notes: { readonly later: readonly HistoryRow[]; readonly before: readonly HistoryRow[] };
  readonly past_typed: TypedRecordsSlice;
  /** Newest first. */
  readonly audit: readonly StoredAuditRecord[];
  readonly close: null;
};

/** What both threads are started with. */
export type JournalWorkerData = { readonly dataDir: string; readonly realm: string };

/** The first message of a thread. */
export type JournalThreadOpening =
  | { readonly kind: "opened"; readonly cursors: readonly (readonly [name: string, seq: number])[] }
  | { readonly kind: "refused" /** A sentence. */; readonly why: string };

export const journalFile = "journal.db";
/** Holds the cursors and, by being locked, the data directory. */
export const cursorFile = "cursors.db";
