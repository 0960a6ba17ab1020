import { refOf } from "@realmwatch/shared/model/object-key";
import type { RowChange } from "@realmwatch/shared/model/row";

/** What is only fresher goes out at most once in this time for each object, ms. */
export const coalesceMs = 10_000;
/** Due times are rounded up to this, ms. */
const slotMs = 500;

/** The object that a change is of. */
export const changedObjectRef = (change: RowChange): string =>
  refOf(change.kind === "put" ? change.row.about.key : change.key);

/** Of an object, from its first change until its end has arrived. */
type Entry = {
  /** The newest change that has not left. */
  pending: RowChange | undefined;
  urgent: boolean;
  inFlight: boolean;
  /** When a change left last, on the caller's clock, ms. */
  sentAtMs: number;
};

/**
 * What is to be told of each object: the newest change only, so that it never holds more than there are objects,
 * however long nobody takes anything. An object's next change leaves only when its last one has arrived;
 * else one that had to be sent again could overtake a newer one. Entries stay with their objects: a table that changed
 * with each message would keep what was sent until the next full garbage collection.
 */
export class RowOutbox {
  readonly #entries = new Map<string, Entry>();
  #pending = 0;
  readonly #ready = new Set<string>();
  #flying = 0;
  /** By number of the slot in which they come due. */
  readonly #later = new Map<number, Set<string>>();

  /** Objects with something to tell, on its way or not. */
  get size(): number {
    return this.#pending + this.#flying;
  }

  get inFlight(): number {
    return this.#flying;
  }

  /** Whether something newer than what is on its way waits. */
  hasPending(ref: string): boolean {
    return this.#entries.get(ref)?.pending !== undefined;
  }

  put(change: RowChange, urgent: boolean, nowMs: number): void {
    const ref = changedObjectRef(change);
    let entry = this.#entries.get(ref);
    if (entry === undefined) {
      entry = { pending: undefined, urgent: false, inFlight: false, sentAtMs: Number.NEGATIVE_INFINITY };
      this.#entries.set(ref, entry);
    }
    this.#await(entry, change, urgent || (entry.pending !== undefined && entry.urgent));
    if (!entry.inFlight) this.#line(ref, entry, nowMs);
  }

  /** Takes the next change that is due; it is on its way until `settle`. */
  next(nowMs: number): RowChange | undefined {
    this.#wake(nowMs);
    for (const ref of this.#ready) {
      this.#ready.delete(ref);
      const entry = this.#entries.get(ref);
      const change = entry?.pending;
      if (entry === undefined || change === undefined) continue;
      this.#forget(entry);
      entry.inFlight = true;
      this.#flying += 1;
      entry.sentAtMs = nowMs;
      return change;
    }
    return undefined;
  }

  /** What `next` gave has arrived, or has to be sent again unless something newer waits. */
  settle(change: RowChange, arrived: boolean, nowMs: number): void {
    const ref = changedObjectRef(change);
    const entry = this.#entries.get(ref);
    if (entry?.inFlight !== true) return;
    entry.inFlight = false;
    this.#flying -= 1;
    if (!arrived && entry.pending === undefined) this.#await(entry, change, true);
    if (entry.pending !== undefined) this.#line(ref, entry, nowMs);
    else if (change.kind === "drop") this.#entries.delete(ref);
  }

  /** When something comes due, on the caller's clock, ms; 0: now; undefined: nothing waits. */
  get nextDueMs(): number | undefined {
    if (this.#ready.size > 0) return 0;
    let first: number | undefined;
    for (const slot of this.#later.keys()) if (first === undefined || slot < first) first = slot;
    return first === undefined ? undefined : first * slotMs;
  }

  /** A new epoch: rows will all be put again, and what says that an object is gone has to outrank the old ones. */
  startEpoch(epoch: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.pending?.kind === "put") this.#forget(entry);
      else if (entry.pending !== undefined) entry.pending = { ...entry.pending, epoch };
    }
  }

  #await(entry: Entry, change: RowChange, urgent: boolean): void {
    if (entry.pending === undefined) this.#pending += 1;
    entry.pending = change;
    entry.urgent = urgent;
  }

  #forget(entry: Entry): void {
    entry.pending = undefined;
    this.#pending -= 1;
  }

  #line(ref: string, entry: Entry, nowMs: number): void {
    const dueMs = entry.sentAtMs + coalesceMs;
    if (this.#ready.has(ref)) return;
    if (entry.urgent || dueMs <= nowMs) this.#ready.add(ref);
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
      for (const ref of refs) {
        const entry = this.#entries.get(ref);
        if (entry?.pending !== undefined && !entry.inFlight) this.#line(ref, entry, nowMs);
      }
    }
  }
}
