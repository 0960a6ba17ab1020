import type { StoredAuditRecord } from "../model/audit.ts";
import type { AuditEntry } from "../platform/audit-chain/audit-chain.ts";

/** Database file with the audit records of a program without a journal. */
export const auditFile = "audit.db";
/** Lock file of the program that writes the records. */
export const auditLockFile = "audit-lock.db";

/** Request to the thread that owns the file. Plain data. */
export type AuditRequest =
  | { readonly kind: "add"; readonly entries: readonly AuditEntry[] }
  | { readonly kind: "records"; readonly sinceMs: number | undefined; readonly limit: number }
  | { readonly kind: "trim"; readonly beforeMs: number; readonly limit: number }
  | { readonly kind: "close" };

/** Responses of the thread, by kind of request. */
export type AuditResponses = {
  readonly add: null;
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  /** Number of deleted records. */
  readonly trim: number;
  readonly close: null;
};

/** Loss of the newest records of the file, detected at its opening. */
export type AuditGap = {
  /** Number of records known to be missing. */
  readonly lost: number;
  /** True when further records may be missing, because the file that records the progress was lost too. */
  readonly orMore: boolean;
};

/** First message of the thread. `why`: a sentence. */
export type AuditOpenResult =
  | { readonly kind: "opened"; readonly gap: AuditGap | undefined }
  | { readonly kind: "refused"; readonly why: string };
