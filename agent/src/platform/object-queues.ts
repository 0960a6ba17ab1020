/** Item that waits for earlier items which share a reference with it. */
type QueuedItem = { readonly refs: readonly string[] };

/**
 * Keeps items about one object in order: an item is ready once every earlier item that shares a reference with it is
 * removed. Items about other objects overtake it. The cost of an operation does not depend on the number of items.
 */
export class ObjectQueues<T extends QueuedItem> {
  /** Queues by reference, in order of arrival; the first item of a queue is next. */
  readonly #queues = new Map<string, Set<T>>();
  /** Number of queues in which an item is not first. */
  readonly #blockedIn = new Map<T, number>();

  get size(): number {
    return this.#blockedIn.size;
  }

  /** Number of items with this reference. */
  sizeOf(ref: string): number {
    return this.#queues.get(ref)?.size ?? 0;
  }

  /** All items, in order of arrival. */
  all(): IterableIterator<T> {
    return this.#blockedIn.keys();
  }

  /** @returns true when the item is ready at once */
  add(item: T): boolean {
    let blocked = 0;
    for (const ref of item.refs) {
      const queue = this.#queues.get(ref);
      if (queue === undefined) this.#queues.set(ref, new Set([item]));
      else {
        queue.add(item);
        blocked += 1;
      }
    }
    this.#blockedIn.set(item, blocked);
    return blocked === 0;
  }

  /** @returns the items that became ready, in no particular order */
  remove(item: T): T[] {
    const ready: T[] = [];
    if (!this.#blockedIn.delete(item)) return ready;
    for (const ref of item.refs) {
      const queue = this.#queues.get(ref);
      if (queue === undefined) continue;
      const wasFirst = first(queue) === item;
      queue.delete(item);
      const next = first(queue);
      if (next === undefined) this.#queues.delete(ref);
      else if (wasFirst && this.#unblock(next)) ready.push(next);
    }
    return ready;
  }

  #unblock(item: T): boolean {
    const left = (this.#blockedIn.get(item) ?? 0) - 1;
    this.#blockedIn.set(item, left);
    return left === 0;
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const item of set) return item;
  return undefined;
}
