type Entry = { readonly id: string; at: number; index: number };

/**
 * Who is due when: a binary heap with an index, so that an id has one instant and can be moved.
 * Instants are numbers on whatever clock the owner uses. Each operation costs O(log n).
 */
export class DueQueue {
  readonly #heap: Entry[] = [];
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#heap.length;
  }

  /** The earliest instant; Infinity when nobody waits. */
  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  at(id: string): number | undefined {
    return this.#entries.get(id)?.at;
  }

  /** Puts or moves `id`. Infinity takes it out. */
  set(id: string, at: number): void {
    if (at === Number.POSITIVE_INFINITY) return this.delete(id);
    const known = this.#entries.get(id);
    if (known === undefined) {
      const entry: Entry = { id, at, index: this.#heap.length };
      this.#heap.push(entry);
      this.#entries.set(id, entry);
      this.#rise(entry);
      return;
    }
    const later = at > known.at;
    known.at = at;
    if (later) this.#sink(known);
    else this.#rise(known);
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  /** Takes out the earliest that is due at `now`, or answers undefined. */
  take(now: number): { readonly id: string; readonly at: number } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.at > now) return undefined;
    this.delete(first.id);
    return { id: first.id, at: first.at };
  }

  #place(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #rise(entry: Entry): void {
    for (;;) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (entry.index === 0 || parent === undefined || parent.at <= entry.at) return;
      const index = parent.index;
      this.#place(parent, entry.index);
      this.#place(entry, index);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (child === undefined || child.at >= entry.at) return;
      const index = child.index;
      this.#place(child, entry.index);
      this.#place(entry, index);
    }
  }
}
