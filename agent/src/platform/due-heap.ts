/** Something that can be due in a heap: its instant and its place there are the heap's to write. */
export type Due = { at: number; index: number };

/** The `index` of what is in no heap. */
export const notDue = -1;

/**
 * What falls due, soonest first: a binary heap whose items know their places, so that each can be moved or taken out.
 * Instants are numbers on whatever clock the owner uses. Each operation costs O(log n) and makes no garbage.
 */
export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The earliest instant; Infinity when nobody waits. */
  get nextAt(): number {
    return this.#items[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Puts or moves `item`. */
  set(item: T, at: number): void {
    if (item.index === notDue) item.index = this.#items.push(item) - 1;
    item.at = at;
    this.#settle(item);
  }

  /** Takes `item` out, where it is in. */
  delete(item: T): void {
    const { index } = item;
    if (index === notDue) return;
    item.index = notDue;
    const last = this.#items.pop() as T;
    if (last === item) return;
    last.index = index;
    this.#settle(last);
  }

  /** Takes out the earliest that is due at `now`, or answers undefined. */
  take(now: number): T | undefined {
    const first = this.#items[0];
    if (first === undefined || first.at > now) return undefined;
    this.delete(first);
    return first;
  }

  /** Finds `item` its place, upwards or downwards from `item.index`; what stands there is written over. */
  #settle(item: T): void {
    const items = this.#items;
    let index = item.index;
    while (index > 0) {
      const above = items[(index - 1) >> 1] as T;
      if (above.at <= item.at) break;
      index = this.#move(above, index);
    }
    for (;;) {
      let below = items[2 * index + 1];
      const right = items[2 * index + 2];
      if (below !== undefined && right !== undefined && right.at < below.at) below = right;
      if (below === undefined || below.at >= item.at) break;
      index = this.#move(below, index);
    }
    items[index] = item;
    item.index = index;
  }

  /** Has `item` stand at `index`; answers where it stood. */
  #move(item: T, index: number): number {
    const stood = item.index;
    this.#items[index] = item;
    item.index = index;
    return stood;
  }
}
