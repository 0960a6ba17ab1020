/** Database file with the audit records of a program without a journal. */
export const auditFile = "audit.db";

/** Loss of the newest records of the file, detected at its opening. */
export type AuditGap = {
  /** Number of records known to be missing. */
  readonly lost: number;
  /** True when further records may be missing, because the file that records the progress was lost too. */
  readonly orMore: boolean;
};
