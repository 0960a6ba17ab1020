import { DueHeap, type DueHeapItem, notInHeap } from "../../platform/due-heap.ts";

type Entry = DueHeapItem & { readonly id: string };

/**
 * Priority queue of ids by due time, and by id where these are equal: what happens at one instant has the same order
 * after a restart, and a host comes before its services, whose references begin with its own. Each id has at most one
 * due time. As `DueHeap`, with access by id. `take` keeps the id's entry, since most ids are added again: a map that loses
 * and gains an entry at each check is rebuilt all the time.
 */
export class DueQueue {
  readonly #heap = new DueHeap<Entry>((one, other) => one.id < other.id);
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#heap.size;
  }

  /** Earliest due time; Infinity when the queue is empty. */
  get nextAt(): number {
    return this.#heap.nextAt;
  }

  at(id: string): number | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || entry.index === notInHeap ? undefined : entry.at;
  }

  /** Adds or moves `id`. Infinity removes it. */
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

  /** Removes and returns the earliest entry that is due at `now`; undefined if none is. */
  take(now: number): { readonly id: string; readonly at: number } | undefined {
    return this.#heap.take(now);
  }
}
