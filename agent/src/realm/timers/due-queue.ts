import { type DueHeapItem, DueHeap, notInHeap } from "../../platform/due-heap.ts";

type Entry = DueHeapItem & { readonly id: string };

/**
 * Who is due when: an id has one instant and can be moved. As `DueHeap`, by name. What was taken out keeps its entry,
 * since most come back: a table of all objects that lost and gained one at each check would be made anew all the time.
 */
export class DueQueue {
  readonly #heap = new DueHeap<Entry>();
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#heap.size;
  }

  /** The earliest instant; Infinity when nobody waits. */
  get nextAt(): number {
    return this.#heap.nextAt;
  }

  at(id: string): number | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || entry.index === notInHeap ? undefined : entry.at;
  }

  /** Puts or moves `id`. Infinity takes it out. */
  set(id: string, at: number): void {
    if (at === Number.POSITIVE_INFINITY) return this.delete(id);
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = { id, at, index: notInHeap };
      this.#entries.set(id, entry);
    }
    this.#heap.set(entry, at);
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#heap.delete(entry);
  }

  /** Takes out the earliest that is due at `now`, or answers undefined. */
  take(now: number): { readonly id: string; readonly at: number } | undefined {
    return this.#heap.take(now);
  }
}
