import type { Result } from "@realmwatch/shared/model/result";
import type { AuditEntry } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { AlertChange } from "../alert-table.ts";
import type { KeptAnswer } from "../command-answer.ts";
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
      /** Changes of the alerts that fire, whose results the command has; each key at most once. */
      readonly alerts?: readonly AlertChange[] | undefined;
    }
  /** Answer to a call that was refused for good. */
  | { readonly kind: "answer"; readonly answer: KeptAnswer }
  | { readonly kind: "audit"; readonly audit: readonly AuditEntry[] }
  | { readonly kind: "append"; readonly batch: JournalBatch }
  | { readonly kind: "epoch"; readonly epoch: number }
  /** Deletes up to `limit` records that are older than `beforeMs`. */
  | {
      readonly kind: "trim";
      readonly table: "history" | "audit" | "answer";
      readonly beforeMs: number;
      readonly limit: number;
    }
  /** Adds a gap record for lost records and continues the sequence numbers after theirs. */
  | { readonly kind: "skip"; readonly missing: MissingRecords; readonly commandSeq: number; readonly atMs: number }
  /** Small write that tests whether the disk works again. */
  | { readonly kind: "probe" }
  | { readonly kind: "cursor"; readonly name: string; readonly seq: number }
  /** Begins a term of a pair: `member` became active. */
  | { readonly kind: "term"; readonly term: number; readonly member: string }
  /** Running configuration document of a pair. */
  | { readonly kind: "document"; readonly text: string }
  /** Facts that one member of a pair notes for itself; they stay in its own journal. */
  | { readonly kind: "facts"; readonly json: string };

/** Write of a kind. */
export type WriteOf<Kind extends WriteOperation["kind"]> = Extract<WriteOperation, { kind: Kind }>;

/** Seq of an accepted command; last history seq after an append or skip; number of trimmed records; otherwise 0. */
export type WriteResult = Result<number, string>;

/** True for operations that the other member of a pair applies too. Cursors travel beside the groups. */
export const isShared = ({ kind }: WriteOperation): boolean => kind !== "cursor" && kind !== "facts";
