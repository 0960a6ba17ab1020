import type { AuditRecord } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { AuditGap } from "./audit-file.ts";

/** Writes audit records to disk. */
interface AuditWriter {
  /** Resolves with ok when all records are durable; `unavailable` when the disk refused them and none was written. */
  audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>>;
}

/** Maximum number of records that wait for a failed disk; further ones are only counted. */
const maxWaiting = 10_000;
const defaultRetryMs = 5_000;

type AuditQueueOptions = {
  readonly disk: AuditWriter;
  readonly clock: Clock;
  /** Interval at which a failed write is tried again, ms. Default: 5 s. */
  readonly retryMs?: number;
};

/**
 * Writes records to a disk that may fail. While it fails, up to 10 000 records wait in order; further ones are dropped,
 * and one record with their number is written later.
 */
export function auditQueue({ disk, clock, retryMs = defaultRetryMs }: AuditQueueOptions) {
  let waiting: AuditRecord[] = [];
  let writing: Promise<void> | undefined;
  /** Dropped records that no written record mentions yet. */
  let unreported = 0;
  let lost = 0;
  let written = 0;
  let failedWrites = 0;
  let cancelRetry = (): void => {};

  /** Runs one write at a time; records that arrive meanwhile form the next one. */
  async function writeAll(): Promise<void> {
    await Promise.resolve();
    while (waiting.length > 0) {
      const records = waiting;
      waiting = [];
      const reported = unreported;
      const last = records.at(-1);
      const all = reported > 0 && last ? [...records, lostRecord(last, reported)] : records;
      const result = await disk.audit(all);
      if (result.ok) {
        written += all.length;
        unreported -= reported;
        continue;
      }
      failedWrites += 1;
      drop(records.length + waiting.length - maxWaiting);
      waiting = [...records, ...waiting].slice(0, maxWaiting);
      cancelRetry();
      cancelRetry = clock.after(retryMs, () => void write());
      return;
    }
  }

  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  function drop(count: number): void {
    if (count <= 0) return;
    unreported += count;
    lost += count;
  }

  return {
    async add(record: AuditRecord): Promise<void> {
      if (waiting.length >= maxWaiting) return drop(1);
      waiting.push(record);
      await write();
    },
    /** Number of records that wait to be written. */
    waiting: () => waiting.length,
    /** Number of records dropped since the start. */
    lost: () => lost,
    /** Number of records written since the start. */
    written: () => written,
    /** Number of failed writes since the start. */
    failedWrites: () => failedWrites,
    /** Tries once more to write the waiting records. */
    async close(): Promise<void> {
      await write();
      cancelRetry();
    },
  };
}

const lostRecord = ({ atMs, source }: AuditRecord, count: number): AuditRecord => ({
  ...{ atMs, source, count },
  ...withoutCaller,
  reason: "audit records were lost while the disk could not be written",
});

const withoutCaller = { peer: "", rpc: "", commandJson: "", outcome: "failed", requestId: "", onBehalfOf: "" } as const;

/** [AU11] Record that reports a loss of earlier records in the log itself. */
export const auditGapRecord = (gap: AuditGap, atMs: number): AuditRecord => ({
  ...{ atMs, source: "api", count: Math.max(1, gap.lost) },
  ...withoutCaller,
  reason: `GAP: ${formatAuditGap(gap)}`,
});

/** Describes a loss of records for the operator. */
export function formatAuditGap({ lost, orMore }: AuditGap): string {
  const deleted = "a write-ahead log in the data directory was deleted";
  if (lost === 0) return `the newest audit records may be lost: ${deleted}`;
  const records = `the newest ${lost} audit records`;
  return orMore
    ? `${records} or more were lost: ${deleted}`
    : `${records} were lost: the disk failed, a file was deleted or an older copy was restored`;
}
