/** Consecutive entries of a source. */
export type SourcePage<E> = {
  /** Position of the first entry; greater than the requested one when the entries before it were deleted. */
  readonly from: number;
  /** Empty when there are no entries at or after the requested position, or when they cannot be read now. */
  readonly entries: readonly E[];
  /** Time at which the first entry was recorded, Unix ms. */
  readonly recordedAtMs: number;
};

/** Log from which sinks read. Positions are the numbers of entries and grow by 1 with each entry. */
export interface EntrySource<E> {
  /** Position of the next entry that will be recorded. */
  end(): number;
  /** Position of the oldest entry that can be read; `end()` when there is none. */
  start(): number;
  /** Reads at most `limit` entries from `position` on, in order. */
  read(position: number, limit: number): SourcePage<E>;
}
