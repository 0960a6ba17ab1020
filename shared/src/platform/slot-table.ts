/**
 * Collection for objects that are added and removed at a high rate, each in a numbered slot. Not a Set or Map: under
 * constant change their outgrown hash tables stay linked to each other and retain their entries until the next full
 * garbage collection, which costs more than the work that is tracked.
 */
export class SlotTable<T extends object> implements Iterable<T> {
  #items: (T | undefined)[] = [];
  #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Adds `item` and returns its slot: the one freed last, else the next new one, counted from 0. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  /** Frees the slot and returns its item; undefined when the slot was free. */
  remove(slot: number): T | undefined {
    const item = this.#items[slot];
    if (item === undefined) return undefined;
    this.#items[slot] = undefined;
    this.#free.push(slot);
    return item;
  }

  /** Empties the table and returns all items in slot order. */
  removeAll(): readonly T[] {
    const all = [...this];
    this.#items = [];
    this.#free = [];
    return all;
  }

  /** Iterates in slot order. Items added or removed during the iteration may or may not be visited. */
  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}
