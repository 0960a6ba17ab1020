import type { Identity } from "./role.ts";

export const auditSources = ["api", "extcmd"] as const;
/** Source of an audited call: the API, or the external command file. */
export type AuditSource = (typeof auditSources)[number];

export const auditOutcomes = ["accepted", "rejected", "denied", "failed"] as const;
/** `rejected`: invalid. `denied`: unauthenticated or without the required role. `failed`: internal error. */
export type AuditOutcome = (typeof auditOutcomes)[number];

/** One audited request with its author and outcome. The journal stores it as JSON. */
export type AuditRecord = {
  /** Time of the record, Unix ms. */
  readonly atMs: number;
  readonly source: AuditSource;
  /** Absent when the sender was not authenticated. */
  readonly principal?: Identity;
  /** Network address of the caller; empty for the command file. */
  readonly peer: string;
  /** Full path of the RPC, or name of the external command; empty for a line without one. */
  readonly rpc: string;
  /** The request as JSON, without secrets and long payloads; empty when the request was not read. */
  readonly commandJson: string;
  readonly outcome: AuditOutcome;
  readonly requestId: string;
  /** Author named in the request, when it differs from the principal; else empty. */
  readonly onBehalfOf: string;
  /** Reason why the request was not accepted, as text for users; contains no secret. */
  readonly reason: string;
  /** Number of calls or lines that the record stands for, at least 1. */
  readonly count: number;
};

/** An audit record as read from disk. */
export type StoredAuditRecord = {
  readonly seq: number;
  readonly atMs: number;
  /** Undefined when the record is damaged. */
  readonly json: string | undefined;
};

/** Parses a stored record. A damaged one gives a record that says so, it is never left out. */
export function auditRecordOf({ seq, atMs, json }: StoredAuditRecord): AuditRecord {
  if (json !== undefined) return JSON.parse(json) as AuditRecord;
  return {
    ...{ atMs, source: "api", peer: "", rpc: "", commandJson: "", outcome: "failed", requestId: "", onBehalfOf: "" },
    reason: `audit record ${seq} is damaged on disk, or the one before it`,
    count: 1,
  };
}

/** Log for audit records that are not stored together with a command. */
export interface AuditLog {
  /** Resolves when the record is durable, or is queued because the disk cannot be written. Never rejects. */
  add(record: AuditRecord): Promise<void>;
}
