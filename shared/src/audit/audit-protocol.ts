import type { AuditLine } from "../tools/audit-chain.ts";
import type { AuditRow } from "../words/audit.ts";

/** Holds the audit records of a program that has no journal. */
export const auditFile = "audit.db";
/** Is locked by the program that writes them. */
export const auditLockFile = "audit-lock.db";

/** What the thread that holds the file is asked. Plain data. */
export type AuditAsk =
  | { readonly kind: "add"; readonly lines: readonly AuditLine[] }
  | { readonly kind: "records"; readonly sinceMs: number | undefined; readonly limit: number }
  | { readonly kind: "trim"; readonly beforeMs: number; readonly limit: number }
  | { readonly kind: "close" };

export type AuditAnswers = {
  readonly add: null;
  /** Newest first. */
  readonly records: readonly AuditRow[];
  /** Records gone. */
  readonly trim: number;
  readonly close: null;
};

/**
 * Records that were on this disk once and that the file no longer has: its end was lost. 0 where nothing tells how many
 * there were, or whether there were any.
 */
export type AuditGap = { readonly lost: number };

/** The thread's first message. `refused`: a sentence. */
export type AuditOpening =
  | { readonly kind: "opened"; readonly gap: AuditGap | undefined }
  | { readonly kind: "refused"; readonly why: string };
