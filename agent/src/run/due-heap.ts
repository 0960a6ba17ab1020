type Entry<T> = { readonly dueMs: number; readonly item: T };

/** What falls due, soonest first. A binary heap: putting and taking cost the logarithm of the size. */
export class DueHeap<T> {
  readonly #entries: Entry<T>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** When the soonest is due; infinity where there is none. */
  get nextMs(): number {
    return this.#entries[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  put(dueMs: number, item: T): void {
    const entries = this.#entries;
    let at = entries.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = entries[above] as Entry<T>;
      if (parent.dueMs <= dueMs) break;
      entries[at] = parent;
      at = above;
    }
    entries[at] = { dueMs, item };
  }

  /** Takes the soonest out, if it is due by `nowMs`. */
  takeDue(nowMs: number): Entry<T> | undefined {
    const entries = this.#entries;
    const first = entries[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = entries.pop() as Entry<T>;
    if (entries.length > 0) this.#sink(last);
    return first;
  }

  #sink(entry: Entry<T>): void {
    const entries = this.#entries;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= entries.length) break;
      if (below + 1 < entries.length && (entries[below + 1] as Entry<T>).dueMs < (entries[below] as Entry<T>).dueMs)
        below++;
      const child = entries[below] as Entry<T>;
      if (child.dueMs >= entry.dueMs) break;
      entries[at] = child;
      at = below;
    }
    entries[at] = entry;
  }
}
