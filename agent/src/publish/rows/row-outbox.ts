import { refOf } from "@realmwatch/shared/model/object-key";
import { keyOfChange, type RowChange } from "@realmwatch/shared/row/row";

/** Minimum time between two non-urgent changes of the same object, ms. */
export const coalesceMs = 10_000;
/** Due times, and the times of changes, are rounded up to a multiple of this, ms. */
const slotMs = 500;

/** Reference of the object that a change belongs to. */
export const changedObjectRef = (change: RowChange): string => refOf(keyOfChange(change));

/** State of one object, from its first change until its removal has been acknowledged. */
type Entry = {
  /** Newest change that has not been sent. */
  pending: RowChange | undefined;
  urgent: boolean;
  inFlight: boolean;
  /**
   * Time from which on the pending change is late, and the same of the one in flight; undefined for none. That of a
   * pending row outlives it when a new epoch drops it: the object is late until its row is put again and stored.
   */
  pendingSinceMs: number | undefined;
  flightSinceMs: number | undefined;
  /** Time at which a change was last sent, on the caller's clock, ms. */
  sentAtMs: number;
};

const newEntry = (): Entry => ({
  pending: undefined,
  urgent: false,
  inFlight: false,
  pendingSinceMs: undefined,
  flightSinceMs: undefined,
  sentAtMs: Number.NEGATIVE_INFINITY,
});

/** Oldest of many times, to about half a second. Costs O(1) for each time, and memory for each slot in use. */
class OldestChange {
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

  /** Age of the oldest time at `nowMs`, ms; 0 without a time before `nowMs`. */
  ageMs(nowMs: number): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const slot of this.#slots.keys()) oldest = Math.min(oldest, slot * slotMs);
    return Math.max(0, nowMs - oldest);
  }
}

/**
 * Changes that wait to be published, only the newest of each object: during an outage of any length the outbox holds
 * at most one change per object. The next change of an object is sent only after its previous one was acknowledged;
 * otherwise a retry could overtake a newer change. Entries live as long as their objects: deleting one after each
 * message would keep the sent rows in memory until the next full garbage collection.
 */
export class RowOutbox {
  readonly #entries = new Map<string, Entry>();
  #pending = 0;
  readonly #ready = new Set<string>();
  #flying = 0;
  /** Number of objects with a change in flight and a newer one pending. */
  #pendingInFlight = 0;
  readonly #late = new OldestChange();
  /** References by the number of the time slot in which they are due. */
  readonly #later = new Map<number, Set<string>>();

  /** Number of objects with a change that is pending or in flight. */
  get size(): number {
    return this.#pending + this.#flying - this.#pendingInFlight;
  }

  get inFlight(): number {
    return this.#flying;
  }

  /** True when the object has a change that has not been sent. */
  hasPending(ref: string): boolean {
    return this.#entries.get(ref)?.pending !== undefined;
  }

  /** True when the object has a change that has not been sent, or is in flight. */
  isWaiting(ref: string): boolean {
    const entry = this.#entries.get(ref);
    return entry !== undefined && (entry.inFlight || entry.pending !== undefined);
  }

  /** Age of the oldest change that is due and not acknowledged, ms; 0 for none. */
  lateMs(nowMs: number): number {
    return this.#late.ageMs(nowMs);
  }

  put(change: RowChange, urgent: boolean, nowMs: number): void {
    const ref = changedObjectRef(change);
    let entry = this.#entries.get(ref);
    if (entry === undefined) {
      entry = newEntry();
      this.#entries.set(ref, entry);
    }
    const isUrgent = urgent || (entry.pending !== undefined && entry.urgent);
    this.#setPending(entry, change, isUrgent, isUrgent ? nowMs : Math.max(nowMs, entry.sentAtMs + coalesceMs));
    if (!entry.inFlight) this.#enqueue(ref, entry, nowMs);
  }

  /** Takes the next change that is due; it is in flight until `settle`. */
  next(nowMs: number): RowChange | undefined {
    this.#enqueueDue(nowMs);
    for (const ref of this.#ready) {
      this.#ready.delete(ref);
      const entry = this.#entries.get(ref);
      const change = entry?.pending;
      if (entry === undefined || change === undefined) continue;
      entry.flightSinceMs = entry.pendingSinceMs;
      entry.pendingSinceMs = undefined;
      this.#clearPending(entry);
      entry.inFlight = true;
      this.#flying += 1;
      entry.sentAtMs = nowMs;
      return change;
    }
    return undefined;
  }

  /** Records that a change from `next` was acknowledged, or is to be sent again unless a newer one is pending. */
  settle(change: RowChange, acknowledged: boolean, nowMs: number): void {
    const ref = changedObjectRef(change);
    const entry = this.#entries.get(ref);
    if (entry?.inFlight !== true) return;
    entry.inFlight = false;
    this.#flying -= 1;
    if (entry.pending !== undefined) this.#pendingInFlight -= 1;
    const { flightSinceMs = nowMs } = entry;
    if (entry.flightSinceMs !== undefined) this.#late.remove(entry.flightSinceMs);
    entry.flightSinceMs = undefined;
    if (!acknowledged) {
      const isLast = entry.pending === undefined;
      this.#setPending(entry, entry.pending ?? change, isLast || entry.urgent, flightSinceMs);
    }
    if (entry.pending !== undefined) this.#enqueue(ref, entry, nowMs);
    else if (change.kind === "drop" && entry.pendingSinceMs === undefined) this.#entries.delete(ref);
  }

  /** Time at which the next change is due, on the caller's clock, ms; 0: now; undefined when none is pending. */
  get nextDueMs(): number | undefined {
    if (this.#ready.size > 0) return 0;
    let first: number | undefined;
    for (const slot of this.#later.keys()) if (first === undefined || slot < first) first = slot;
    return first === undefined ? undefined : first * slotMs;
  }

  /**
   * Starts a new epoch. Drops pending rows, since all are put again; removals get the epoch, to supersede old rows. The
   * age of a dropped row stays: it is as little stored as before.
   */
  startEpoch(epoch: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.pending?.kind === "put") this.#clearPending(entry);
      else if (entry.pending !== undefined) entry.pending = { ...entry.pending, epoch };
    }
  }

  /** @param lateFromMs time from which on the change is late; an earlier change that it replaces may be late before */
  #setPending(entry: Entry, change: RowChange, urgent: boolean, lateFromMs: number): void {
    const sinceMs = Math.min(lateFromMs, entry.pendingSinceMs ?? lateFromMs);
    if (entry.pendingSinceMs !== undefined) this.#late.remove(entry.pendingSinceMs);
    this.#late.add(sinceMs);
    entry.pendingSinceMs = sinceMs;
    if (entry.pending === undefined) {
      this.#pending += 1;
      if (entry.inFlight) this.#pendingInFlight += 1;
    }
    entry.pending = change;
    entry.urgent = urgent;
  }

  #clearPending(entry: Entry): void {
    if (entry.inFlight) this.#pendingInFlight -= 1;
    entry.pending = undefined;
    this.#pending -= 1;
  }

  #enqueue(ref: string, entry: Entry, nowMs: number): void {
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

  #enqueueDue(nowMs: number): void {
    for (const [number, refs] of this.#later) {
      if (number * slotMs > nowMs) continue;
      this.#later.delete(number);
      // A change that became urgent meanwhile was sent already, and the next one may be in a later slot.
      for (const ref of refs) {
        const entry = this.#entries.get(ref);
        if (entry?.pending !== undefined && !entry.inFlight) this.#enqueue(ref, entry, nowMs);
      }
    }
  }
}
