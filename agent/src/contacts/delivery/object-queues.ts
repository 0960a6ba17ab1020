/** Something that has to wait for whatever came earlier and is about one of the same objects. */
export type QueuedItem = { readonly refs: readonly string[] };

/**
 * Keeps what is about one object in order: an item is free once everything before it that shares a reference with it
 * is done. What is about other objects passes by. Costs the same however much waits.
 */
export class ObjectQueues<T extends QueuedItem> {
  /** By reference, in order of arrival; the first one is whose turn it is. */
  readonly #lanes = new Map<string, Set<T>>();
  /** In how many of its lanes an item is not first. */
  readonly #blockedIn = new Map<T, number>();

  get size(): number {
    return this.#blockedIn.size;
  }

  /** Everything that is not done, in order of arrival. */
  all(): IterableIterator<T> {
    return this.#blockedIn.keys();
  }

  /** @returns whether it is free at once */
  add(item: T): boolean {
    let blocked = 0;
    for (const ref of item.refs) {
      const lane = this.#lanes.get(ref);
      if (lane === undefined) this.#lanes.set(ref, new Set([item]));
      else {
        lane.add(item);
        blocked += 1;
      }
    }
    this.#blockedIn.set(item, blocked);
    return blocked === 0;
  }

  /** @returns what became free by it, in no particular order */
  remove(item: T): T[] {
    const freed: T[] = [];
    if (!this.#blockedIn.delete(item)) return freed;
    for (const ref of item.refs) {
      const lane = this.#lanes.get(ref);
      if (lane === undefined) continue;
      const wasFirst = first(lane) === item;
      lane.delete(item);
      const next = first(lane);
      if (next === undefined) this.#lanes.delete(ref);
      else if (wasFirst && this.#unblock(next)) freed.push(next);
    }
    return freed;
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
