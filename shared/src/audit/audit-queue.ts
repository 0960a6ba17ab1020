import type { AuditLog, AuditRecord } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { AuditGap } from "./audit-thread-protocol.ts";

/** What writes records to a disk. */
export interface AuditWriter {
  /** Durable when it resolves with ok; `unavailable`: the disk is full, read-only or gone, and nothing was kept. */
  audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>>;
}

/** Records that wait for a disk to come back; further ones are only counted. */
const backlogSize = 10_000;
const retryMs = 5_000;

export type AuditQueue = AuditLog & {
  /** Records that could not be kept and are not waiting either, since the start. */
  lost(): number;
  /** Tries once more to keep what waits. */
  close(): Promise<void>;
};

/**
 * Keeps records on a disk that may fail. While the disk takes nothing they wait, in order; of
 * those beyond what may wait one record says how many there were.
 */
export function auditQueue({ disk, clock }: { disk: AuditWriter; clock: Clock }): AuditQueue {
  let waiting: AuditRecord[] = [];
  let writing: Promise<void> | undefined;
  let unsaid = 0;
  let lost = 0;
  let cancelRetry = (): void => {};

  /** One write at a time; what comes meanwhile is the next one. */
  async function writeAll(): Promise<void> {
    await Promise.resolve();
    while (waiting.length > 0) {
      const records = waiting;
      waiting = [];
      const said = unsaid;
      const last = records.at(-1);
      const kept = await disk.audit(said > 0 && last ? [...records, lostRecord(last, said)] : records);
      if (kept.ok) {
        unsaid -= said;
        continue;
      }
      drop(records.length + waiting.length - backlogSize);
      waiting = [...records, ...waiting].slice(0, backlogSize);
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
    unsaid += count;
    lost += count;
  }

  return {
    async add(record) {
      if (waiting.length >= backlogSize) return drop(1);
      waiting.push(record);
      await write();
    },
    lost: () => lost,
    async close() {
      await write();
      cancelRetry();
    },
  };
}

const lostRecord = ({ atMs, source }: AuditRecord, count: number): AuditRecord => ({
  ...{ atMs, source, count },
  ...ofNobody,
  reason: "records were lost while the disk took none",
});

const ofNobody = { peer: "", rpc: "", commandJson: "", outcome: "failed", requestId: "", onBehalfOf: "" } as const;

/** [AU11] Says in the log itself that its end was lost before. */
export const auditGapRecord = (gap: AuditGap, atMs: number): AuditRecord => ({
  ...{ atMs, source: "api", count: Math.max(1, gap.lost) },
  ...ofNobody,
  reason: `GAP: ${formatAuditGap(gap)}`,
});

/** What was lost, for people. */
export function formatAuditGap({ lost, orMore }: AuditGap): string {
  const deleted = "a write-ahead log in the data directory was deleted";
  if (lost === 0) return `the newest audit records may be lost: ${deleted}`;
  const records = `the newest ${lost} audit records`;
  return orMore
    ? `${records} or more were lost: ${deleted}`
    : `${records} were lost with the disk, by a file that was deleted or by restoring an older copy`;
}
