import type { Clock } from "../../model/clock.ts";

const everyMs = 60_000;
/** Between two slices others get at the disk. */
const pauseMs = 100;
const sliceRecords = 500;
/** A wall clock that jumped by more than this is not believed before it kept pace for an hour. */
const jumpMs = 60_000;
const believeAfterMs = 3_600_000;

export type RetentionOptions = {
  readonly clock: Clock;
  /** What is older goes, ms. */
  readonly retentionMs: number;
  /** Deletes the oldest records older than an instant, at most `limit` of them; how many, undefined where it cannot. */
  trim(beforeMs: number, limit: number): Promise<number | undefined>;
};

/**
 * Deletes records of one kind older than `retentionMs`, some records at a time. A clock that jumps ahead deletes nothing
 * at first: an hour is time enough to set it right. Returns what ends it.
 */
export function startRetention({ clock, retentionMs, trim }: RetentionOptions): () => void {
  const offset = (): number => clock.now() - clock.monotonic();
  let lastOffset = offset();
  let believedFromMs = clock.monotonic();
  let cancel = clock.after(everyMs, round);
  let ended = false;

  function round(): void {
    if (Math.abs(offset() - lastOffset) > jumpMs) believedFromMs = clock.monotonic() + believeAfterMs;
    lastOffset = offset();
    if (clock.monotonic() >= believedFromMs) void slice();
    else again(everyMs);
  }

  async function slice(): Promise<void> {
    const gone = await trim(clock.now() - retentionMs, sliceRecords);
    again(gone === sliceRecords ? pauseMs : everyMs);
  }

  function again(ms: number): void {
    if (!ended) cancel = clock.after(ms, round);
  }

  return () => {
    ended = true;
    cancel();
  };
}
