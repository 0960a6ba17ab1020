import type { Clock } from "../../model/clock.ts";

const intervalMs = 60_000;
/** Pause between two batches, so that other disk work is not starved. */
const pauseMs = 100;
const batchRecords = 500;
/** A wall clock that jumped by more than this is trusted again only after it ran steadily for an hour. */
const jumpMs = 60_000;
const trustAfterMs = 3_600_000;

type RetentionOptions = {
  readonly clock: Clock;
  /** Maximum age of a record, ms. */
  readonly retentionMs: number;
  /**
   * Deletes up to `limit` of the oldest records older than `beforeMs` (Unix ms).
   *
   * @returns the number of deleted records; undefined when deleting failed
   */
  trim(beforeMs: number, limit: number): Promise<number | undefined>;
};

/**
 * Periodically deletes records older than `retentionMs`, in batches. After a jump of the wall clock it deletes nothing
 * for an hour, which leaves time to correct the clock.
 *
 * @returns a function that stops it
 */
export function startRetention({ clock, retentionMs, trim }: RetentionOptions): () => void {
  const offset = (): number => clock.now() - clock.monotonic();
  let lastOffset = offset();
  let trustedFromMs = clock.monotonic();
  let cancel = clock.after(intervalMs, run);
  let stopped = false;

  function run(): void {
    if (Math.abs(offset() - lastOffset) > jumpMs) trustedFromMs = clock.monotonic() + trustAfterMs;
    lastOffset = offset();
    if (clock.monotonic() >= trustedFromMs) void trimBatch();
    else schedule(intervalMs);
  }

  async function trimBatch(): Promise<void> {
    const deleted = await trim(clock.now() - retentionMs, batchRecords);
    schedule(deleted === batchRecords ? pauseMs : intervalMs);
  }

  function schedule(ms: number): void {
    if (!stopped) cancel = clock.after(ms, run);
  }

  return () => {
    stopped = true;
    cancel();
  };
}
