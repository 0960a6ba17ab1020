/** Item of a `DueHeap`. Only the heap writes its due time `at` and its position `index`. */
export type DueHeapItem = { at: number; index: number };

/** `index` of an item that is in no heap. */
export const notInHeap = -1;

/**
 * Priority queue ordered by due time, earliest first. A binary heap whose items store their positions, so that any item
 * can be moved or removed. Due times are numbers of the owner's clock. Each operation is O(log n) and allocates nothing.
 */
export class DueHeap<T extends DueHeapItem> {
  readonly #items: T[] = [];
  readonly #isFirst: (one: T, other: T) => boolean;

  /** @param isFirst order of two items that are due at the same time; default: none in particular */
  constructor(isFirst: (one: T, other: T) => boolean = () => false) {
    this.#isFirst = isFirst;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Earliest due time; Infinity when the heap is empty. */
  get nextAt(): number {
    return this.#items[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Inserts `item`, or moves it to its new due time. */
  set(item: T, at: number): void {
    if (item.index === notInHeap) item.index = this.#items.push(item) - 1;
    item.at = at;
    this.#settle(item);
  }

  /** Removes `item`; does nothing when it is not in the heap. */
  delete(item: T): void {
    const { index } = item;
    if (index === notInHeap) return;
    item.index = notInHeap;
    const last = this.#items.pop() as T;
    if (last === item) return;
    last.index = index;
    this.#settle(last);
  }

  /** Removes and returns the earliest item that is due at `now`; undefined when none is. */
  take(now: number): T | undefined {
    const first = this.#items[0];
    if (first === undefined || first.at > now) return undefined;
    this.delete(first);
    return first;
  }

  /** Sifts `item` up or down from position `item.index`, whose content is overwritten. */
  #settle(item: T): void {
    const items = this.#items;
    let index = item.index;
    while (index > 0) {
      const above = items[(index - 1) >> 1] as T;
      if (!this.#precedes(item, above)) break;
      index = this.#move(above, index);
    }
    for (;;) {
      let below = items[2 * index + 1];
      const right = items[2 * index + 2];
      if (below !== undefined && right !== undefined && this.#precedes(right, below)) below = right;
      if (below === undefined || !this.#precedes(below, item)) break;
      index = this.#move(below, index);
    }
    items[index] = item;
    item.index = index;
  }

  #precedes(one: T, other: T): boolean {
    return one.at < other.at || (one.at === other.at && this.#isFirst(one, other));
  }

  /** Moves `item` to position `index` and returns its previous position. */
  #move(item: T, index: number): number {
    const previous = item.index;
    this.#items[index] = item;
    item.index = index;
    return previous;
  }
}
