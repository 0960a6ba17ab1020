import { refOf } from "@realmwatch/shared/words/object-key";
import type { RowChange } from "@realmwatch/shared/words/row";

/** What is only fresher goes out at most once in this time for each object, ms. */
export const coalesceMs = 10_000;
/** Due times are rounded up to this, ms. */
const slotMs = 500;

/** The object that a change is of. */
export const refOfChange = (change: RowChange): string =>
  refOf(change.kind === "put" ? change.row.about.key : change.key);

type Pending = { readonly change: RowChange; readonly urgent: boolean };

/**
 * What is to be told of each object: the newest change only, so that it never holds more than there are objects,
 * however long nobody takes anything. An object's next change leaves only when its last one has arrived;
 * else one that had to be sent again could overtake a newer one.
 */
export class RowOutbox {
  readonly #pending = new Map<string, Pending>();
  readonly #ready = new Set<string>();
  readonly #flying = new Map<string, RowChange>();
  readonly #sentAtMs = new Map<string, number>();
  /** By number of the slot in which they come due. */
  readonly #later = new Map<number, Set<string>>();

  /** Objects with something to tell, on its way or not. */
  get size(): number {
    return this.#pending.size + this.#flying.size;
  }

  get flying(): number {
    return this.#flying.size;
  }

  /** Whether something newer than what is on its way waits. */
  waits(ref: string): boolean {
    return this.#pending.has(ref);
  }

  put(change: RowChange, urgent: boolean, nowMs: number): void {
    const ref = refOfChange(change);
    const before = this.#pending.get(ref);
    this.#pending.set(ref, { change, urgent: urgent || before?.urgent === true });
    if (!this.#flying.has(ref)) this.#line(ref, nowMs);
  }

  /** Takes the next change that is due; it is on its way until `settle`. */
  next(nowMs: number): RowChange | undefined {
    this.#wake(nowMs);
    for (const ref of this.#ready) {
      this.#ready.delete(ref);
      const pending = this.#pending.get(ref);
      if (pending === undefined) continue;
      this.#pending.delete(ref);
      this.#flying.set(ref, pending.change);
      this.#sentAtMs.set(ref, nowMs);
      return pending.change;
    }
    return undefined;
  }

  /** What `next` gave has arrived, or has to be sent again unless something newer waits. */
  settle(change: RowChange, arrived: boolean, nowMs: number): void {
    const ref = refOfChange(change);
    this.#flying.delete(ref);
    if (!arrived && !this.#pending.has(ref)) this.#pending.set(ref, { change, urgent: true });
    if (this.#pending.has(ref)) this.#line(ref, nowMs);
    else if (arrived && change.kind === "drop") this.#sentAtMs.delete(ref);
  }

  /** When something comes due, on the caller's clock, ms; 0: now; undefined: nothing waits. */
  get nextDueMs(): number | undefined {
    if (this.#ready.size > 0) return 0;
    let first: number | undefined;
    for (const slot of this.#later.keys()) if (first === undefined || slot < first) first = slot;
    return first === undefined ? undefined : first * slotMs;
  }

  /** A new epoch: rows will all be put again, and what says that an object is gone has to outrank the old ones. */
  renumber(epoch: number): void {
    for (const [ref, { change, urgent }] of this.#pending)
      if (change.kind === "put") this.#pending.delete(ref);
      else this.#pending.set(ref, { change: { ...change, epoch }, urgent });
  }

  #line(ref: string, nowMs: number): void {
    const dueMs = (this.#sentAtMs.get(ref) ?? Number.NEGATIVE_INFINITY) + coalesceMs;
    if (this.#ready.has(ref)) return;
    if (this.#pending.get(ref)?.urgent || dueMs <= nowMs) this.#ready.add(ref);
    else this.#slot(Math.ceil(dueMs / slotMs)).add(ref);
  }

  #slot(number: number): Set<string> {
    const slot = this.#later.get(number) ?? new Set();
    this.#later.set(number, slot);
    return slot;
  }

  #wake(nowMs: number): void {
    for (const [number, refs] of this.#later) {
      if (number * slotMs > nowMs) continue;
      this.#later.delete(number);
      // One that became urgent meanwhile has left already, and its next change may lie in a later slot.
      for (const ref of refs) if (this.#pending.has(ref) && !this.#flying.has(ref)) this.#line(ref, nowMs);
    }
  }
}
