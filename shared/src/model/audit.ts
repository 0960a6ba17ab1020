import type { Identity } from "./role.ts";

export const auditSources = ["api", "extcmd"] as const;
/** Where an audited call came from: the API, or the external command file. */
export type AuditSource = (typeof auditSources)[number];

export const auditOutcomes = ["accepted", "rejected", "denied", "failed"] as const;
/** `rejected`: invalid. `denied`: unauthenticated or below the role. `failed`: a failure of ours. */
export type AuditOutcome = (typeof auditOutcomes)[number];

/** Who asked for what, and what became of it. Plain JSON: the journal keeps it as it is. */
export type AuditRecord = {
  /** When it was recorded, Unix ms. */
  readonly atMs: number;
  readonly source: AuditSource;
  /** Absent where nothing authenticated the sender. */
  readonly principal?: Identity;
  /** Network address of the caller; empty for the command file. */
  readonly peer: string;
  /** The full path of the RPC, or the name of the external command; empty for a line that names none. */
  readonly rpc: string;
  /** The request as JSON, secrets and long payloads cut; empty where the request was not read. */
  readonly commandJson: string;
  readonly outcome: AuditOutcome;
  readonly requestId: string;
  /** What the request said of its author, where that differs from the principal. */
  readonly onBehalfOf: string;
  /** Why it was not accepted, for people; holds no secret. */
  readonly reason: string;
  /** How many calls or lines this stands for, at least 1. */
  readonly count: number;
};

/** A record as the disk gives it back. */
export type StoredAuditRecord = {
  readonly seq: number;
  readonly atMs: number;
  /** Undefined where it is not what was written. */
  readonly json: string | undefined;
};

/** What the disk holds as a record. A damaged one is told as such, never left out. */
export function auditRecordOf({ seq, atMs, json }: StoredAuditRecord): AuditRecord {
  if (json !== undefined) return JSON.parse(json) as AuditRecord;
  return {
    ...{ atMs, source: "api", peer: "", rpc: "", commandJson: "", outcome: "failed", requestId: "", onBehalfOf: "" },
    reason: `audit record ${seq} is damaged on disk, or the one before it`,
    count: 1,
  };
}

/** Where records go that are not kept together with a command. */
export interface AuditLog {
  /** Resolves when the record is durable, or when the disk takes nothing and it has to wait. Never rejects. */
  add(record: AuditRecord): Promise<void>;
}
