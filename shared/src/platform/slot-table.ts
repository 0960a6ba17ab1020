/**
 * Things that come and go all the time, each in a numbered slot while it is here. No Set or Map: where those change
 * without end, their outgrown tables stay linked to each other and keep what was in them until the next full garbage
 * collection, which costs more than the work that is being kept account of.
 */
export class SlotTable<T extends object> implements Iterable<T> {
  #items: (T | undefined)[] = [];
  #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** The slot that `item` is in: the least that is free or was freed last, from 0 on. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  /** What was in the slot, which is free now; undefined where it was free before. */
  remove(slot: number): T | undefined {
    const item = this.#items[slot];
    if (item === undefined) return undefined;
    this.#items[slot] = undefined;
    this.#free.push(slot);
    return item;
  }

  /** All that is here, in the order of the slots; afterwards nothing is. */
  removeAll(): readonly T[] {
    const all = [...this];
    this.#items = [];
    this.#free = [];
    return all;
  }

  /** In the order of the slots. What is added or taken meanwhile may be left out or not. */
  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}
