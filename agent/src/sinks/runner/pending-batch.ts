import type { EntrySource } from "../log/entry-source.ts";

/** Most entries that one call of `fill` examines, so that a selector that matches few entries does not block. */
const scanLimit = 10_000;

/** Entries that a sink has read and not delivered, and the position up to which it has read. */
export class PendingBatch<E> {
  readonly #source: EntrySource<E>;
  readonly #matches: (entry: E) => boolean;
  #entries: E[] = [];
  #recordedAtMs: number | undefined;
  #readTo: number;

  constructor(source: EntrySource<E>, matches: (entry: E) => boolean, position: number) {
    this.#source = source;
    this.#matches = matches;
    this.#readTo = position;
  }

  get entries(): readonly E[] {
    return this.#entries;
  }

  /** Position after the last entry that was read. */
  get readTo(): number {
    return this.#readTo;
  }

  /** Time at which the oldest entry was recorded, Unix ms; undefined for an empty batch. */
  get recordedAtMs(): number | undefined {
    return this.#recordedAtMs;
  }

  /** Number of entries that were recorded and not read. */
  get unread(): number {
    return Math.max(0, this.#source.end() - this.#readTo);
  }

  /**
   * Reads until there are `limit` entries or no more in the source.
   *
   * @returns `lost`: number of entries that the source deleted before they were read; `more`: call again to go on
   */
  fill(limit: number): { readonly lost: number; readonly more: boolean } {
    let lost = 0;
    let scanned = 0;
    while (this.#entries.length < limit && scanned < scanLimit) {
      const page = this.#source.read(this.#readTo, limit - this.#entries.length);
      if (page.entries.length === 0) return { lost, more: false };
      lost += page.from - this.#readTo;
      scanned += page.entries.length;
      const matching = page.entries.filter(this.#matches);
      if (matching.length > 0) this.#recordedAtMs ??= page.recordedAtMs;
      // Not `push(...matching)`: the number of arguments is limited.
      this.#entries = this.#entries.length === 0 ? matching : this.#entries.concat(matching);
      this.#readTo = page.from + page.entries.length;
    }
    return { lost, more: this.#entries.length < limit };
  }

  /** Removes all entries: they were delivered, dropped, or are held by the writer. */
  clear(): void {
    this.#entries = [];
    this.#recordedAtMs = undefined;
  }
}
