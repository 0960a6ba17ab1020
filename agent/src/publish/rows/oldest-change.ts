/** Width of a slot, ms. */
const slotMs = 500;

/** Oldest of many times, to about half a second. Costs O(1) for each time, and memory for each slot in use. */
export class OldestChange {
  /** Number of times by slot. */
  readonly #slots = new Map<number, number>();

  add(ms: number): void {
    const slot = Math.ceil(ms / slotMs);
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + 1);
  }

  /** Removes a time that was added. */
  remove(ms: number): void {
    const slot = Math.ceil(ms / slotMs);
    const left = (this.#slots.get(slot) ?? 0) - 1;
    if (left > 0) this.#slots.set(slot, left);
    else this.#slots.delete(slot);
  }

  /** Age of the oldest time at `nowMs`, ms; 0 when there is none, or all are later. */
  ageMs(nowMs: number): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const slot of this.#slots.keys()) oldest = Math.min(oldest, slot * slotMs);
    return Math.max(0, nowMs - oldest);
  }
}
