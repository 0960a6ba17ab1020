import type { StoredAuditRecord } from "../model/audit.ts";
import type { AuditEntry } from "../platform/audit-chain/audit-chain.ts";

/** Holds the audit records of a program that has no journal. */
export const auditFile = "audit.db";
/** Is locked by the program that writes them. */
export const auditLockFile = "audit-lock.db";

/** What the thread that holds the file is asked. Plain data. */
export type AuditRequest =
  | { readonly kind: "add"; readonly lines: readonly AuditEntry[] }
  | { readonly kind: "records"; readonly sinceMs: number | undefined; readonly limit: number }
  | { readonly kind: "trim"; readonly beforeMs: number; readonly limit: number }
  | { readonly kind: "close" };

export type AuditResponses = {
  readonly add: null;
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  /** Records gone. */
  readonly trim: number;
  readonly close: null;
};

/** What was on this disk once and the file no longer has: its end was lost. */
export type AuditGap = {
  /** Records that are known to be missing. */
  readonly lost: number;
  /** Whether more may be missing, or any: what would tell was lost, too. */
  readonly orMore: boolean;
};

/** The thread's first message. `refused`: a sentence. */
export type AuditOpenResult =
  | { readonly kind: "opened"; readonly gap: AuditGap | undefined }
  | { readonly kind: "refused"; readonly why: string };
