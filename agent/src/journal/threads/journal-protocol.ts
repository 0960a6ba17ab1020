import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import type { Interval } from "@realmwatch/shared/availability/interval";
import type { ObjectRecords } from "@realmwatch/shared/availability/object-records";
import type { StoredAuditRecord } from "@realmwatch/shared/model/audit";
import type { HistoryType } from "@realmwatch/shared/model/history";
import type { AuditEntry } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { KeptAnswer, KeyedCall } from "../command-answer.ts";
import type { MissingRecords } from "../damage/missing-records.ts";
import type { JournalBatch } from "../journal-batch.ts";

/** Write that the writer thread makes durable. Plain data, because it is sent between threads. */
export type WriteOperation =
  | {
      readonly kind: "accept";
      /** AcceptedCommand without its seq. */
      readonly json: string;
      readonly audit: readonly AuditEntry[];
      /** Answer to a call with an idempotency key, stored with the command. */
      readonly answer?: KeptAnswer | undefined;
    }
  /** Answer to a call that was refused for good. */
  | { readonly kind: "answer"; readonly answer: KeptAnswer }
  | { readonly kind: "audit"; readonly audit: readonly AuditEntry[] }
  | { readonly kind: "append"; readonly batch: JournalBatch }
  | { readonly kind: "epoch"; readonly epoch: number }
  | { readonly kind: "trim"; readonly beforeMs: number; readonly limit: number }
  | { readonly kind: "trim_audit"; readonly beforeMs: number; readonly limit: number }
  | { readonly kind: "trim_answers"; readonly beforeMs: number; readonly limit: number }
  /** Adds a gap record for lost records and continues the sequence numbers after theirs. */
  | { readonly kind: "skip"; readonly missing: MissingRecords; readonly commandSeq: number; readonly atMs: number }
  /** Small write that tests whether the disk works again. */
  | { readonly kind: "probe" }
  | { readonly kind: "cursor"; readonly name: string; readonly seq: number };

/** `value`: seq of an accepted command; last history seq after an append or skip; trimmed records; otherwise 0. */
export type WriteResult =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly error: string };

export type WriterRequest =
  | { readonly kind: "write"; readonly ops: readonly WriteOperation[] }
  | { readonly kind: "recover"; readonly nowMs: number }
  /** Next states after a row id, for a recovery in slices. */
  | { readonly kind: "states"; readonly afterId: number; readonly limit: number }
  /** Finds the answer to a call with an idempotency key. */
  | { readonly kind: "find_answer"; readonly call: Pick<KeyedCall, "identity" | "key"> }
  | { readonly kind: "close" };

/** Stored records that a start needs, except the states. */
export type RecoveryHead = {
  readonly program: string | undefined;
  /** Accepted commands that are not applied. */
  readonly commands: readonly { readonly seq: number; readonly json: string }[];
  /** Applied commands whose performance data may not be in the log of the sinks. */
  readonly appliedCommands: readonly { readonly seq: number; readonly json: string }[];
  /** Notifications as JSON whose delivery has not ended, in order of decision. */
  readonly notifications: readonly string[];
  readonly lastHistorySeq: number;
  readonly lastCommandSeq: number;
  readonly epoch: number;
  readonly missing: MissingRecords | undefined;
};

/** State of an object as JSON. */
export type StoredObjectState = readonly [ref: string, json: string];

export type StoredStateSlice = {
  readonly states: readonly StoredObjectState[];
  /** Row id after which the next slice begins; undefined for the last slice. */
  readonly nextAfterId: number | undefined;
};

export type WriterResponses = {
  readonly write: readonly WriteResult[];
  readonly recover: RecoveryHead;
  readonly states: StoredStateSlice;
  readonly find_answer: KeptAnswer | undefined;
  readonly close: null;
};

/** Query for a page of history, newest first: by time, then by seq. */
export type HistoryPageRequest = {
  /** References of objects; undefined also selects records without an object. */
  readonly refs: readonly string[] | undefined;
  /** Empty for all types. */
  readonly types: readonly string[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Selects only records older than this position. */
  readonly before: RecordPosition | undefined;
  readonly limit: number;
};

export type HistoryRow = {
  readonly seq: number;
  readonly atMs: number;
  /** Undefined when the stored record is damaged. */
  readonly json: string | undefined;
};

/** Position of a record in the order of time. */
export type RecordPosition = { readonly atMs: number; readonly seq: number };

/** State records of an object around an instant. */
export type StatesAroundInstant = {
  readonly ref: string;
  /** First change of state after the instant. */
  readonly next: HistoryRow | undefined;
  /** Records before the instant, newest first; see `ObjectPast`. */
  readonly before: readonly HistoryRow[];
};

/** `rows`: records in the order of time. `next`: position after which the next slice begins; undefined for the last. */
export type TypedRecordsSlice = { readonly rows: readonly HistoryRow[]; readonly next: RecordPosition | undefined };

/** Records of one object around a range; an object with many records is divided into several parts. */
export type ObjectRecordsPart = { readonly ref: string } & ObjectRecords;

export type ReaderRequest =
  | { readonly kind: "page"; readonly page: HistoryPageRequest }
  | { readonly kind: "after"; readonly seq: number; readonly limit: number }
  /** True when a record exists at the instant or before. */
  | { readonly kind: "past_reaches"; readonly atMs: number }
  /** Objects whose state changed after the instant; undefined when there are more than `limit` such records. */
  | { readonly kind: "past_changed"; readonly atMs: number; readonly limit: number }
  /** States of those `refs` that changed after the instant or that are in `lookBack`. */
  | {
      readonly kind: "past_states";
      readonly atMs: number;
      readonly refs: readonly string[];
      readonly lookBack: readonly string[];
    }
  /** Records of a few objects: later ones of `laterTypes`, and earlier downtimes that could last until the instant. */
  | { readonly kind: "past_notes"; readonly atMs: number; readonly refs: readonly string[] }
  /** Records of one type: after the instant, or earlier downtimes that could last until it. */
  | {
      readonly kind: "past_typed";
      readonly type: HistoryType;
      readonly side: "later" | "before";
      readonly atMs: number;
      readonly from: RecordPosition | undefined;
      readonly limit: number;
    }
  | { readonly kind: "audit"; readonly sinceMs: number | undefined; readonly limit: number }
  /** State changes and downtimes of objects; with `from`, those of the first object after this position. */
  | {
      readonly kind: "object_records";
      readonly refs: readonly string[];
      readonly range: Interval;
      readonly from: RecordPosition | undefined;
      /** Approximate number of records after which the response is divided. */
      readonly limit: number;
    }
  | { readonly kind: "coverage"; readonly range: Interval }
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
  /** `next`: index of the next object, and the position within it; undefined when all records were read. */
  readonly object_records: {
    readonly parts: readonly ObjectRecordsPart[];
    readonly next: { readonly index: number; readonly from: RecordPosition | undefined } | undefined;
  };
  readonly coverage: HistoryCoverage;
  readonly close: null;
};

/** Data with which both threads are started. */
export type JournalWorkerData = { readonly dataDir: string; readonly realm: string };

/** First message of a thread. `why` is a sentence. */
export type JournalThreadOpening =
  | { readonly kind: "opened"; readonly cursors: readonly (readonly [name: string, seq: number])[] }
  | { readonly kind: "refused"; readonly why: string };
