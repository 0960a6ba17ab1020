import type { Audit, AuditRecord } from "@realmwatch/shared/words/audit";
import type { Clock } from "@realmwatch/shared/words/clock";
import type { Journal } from "./journal.ts";

/** Records that wait for a disk to come back; further ones are only counted. */
const backlogSize = 10_000;
const retryMs = 5_000;

export type AuditTrail = Audit & {
  /** Records that could not be kept and are not waiting either, since the start. */
  lost(): number;
  /** Tries once more to keep what waits. */
  close(): Promise<void>;
};

/**
 * Keeps records of what is no accepted command in the journal. While the disk takes nothing they wait, in order; of
 * those beyond what may wait one record says how many there were.
 */
export function auditTrail({ journal, clock }: { journal: Pick<Journal, "audit">; clock: Clock }): AuditTrail {
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
      const kept = await journal.audit(said > 0 && last ? [...records, lostRecord(last, said)] : records);
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
  atMs,
  source,
  peer: "",
  rpc: "",
  commandJson: "",
  outcome: "failed",
  requestId: "",
  onBehalfOf: "",
  reason: "records were lost while the disk took none",
  count,
});
