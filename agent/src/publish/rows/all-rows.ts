import type { RowChange } from "@realmwatch/shared/row/row";
import { changedObjectRef } from "./row-outbox.ts";

/** All rows of one publication: those still to be sent, and the objects whose row is not acknowledged. */
export class AllRows {
  readonly #rows: Iterator<RowChange>;
  readonly #onComplete: (rows: number) => void;
  readonly #unacknowledged = new Set<string>();
  #count = 0;
  #exhausted = false;

  /** @param onComplete called with the number of rows when the last one is acknowledged */
  constructor(rows: Iterable<RowChange>, onComplete: (rows: number) => void) {
    this.#rows = rows[Symbol.iterator]();
    this.#onComplete = onComplete;
  }

  /** True when every row is acknowledged. */
  get isComplete(): boolean {
    return this.#exhausted && this.#unacknowledged.size === 0;
  }

  /** Takes the next row to send; undefined after the last one. */
  next(): RowChange | undefined {
    if (this.#exhausted) return undefined;
    const { value: row, done } = this.#rows.next();
    if (!done) {
      this.#count++;
      this.#unacknowledged.add(changedObjectRef(row));
      return row;
    }
    this.#exhausted = true;
    if (this.isComplete) this.#onComplete(this.#count);
    return undefined;
  }

  /** Records that the row of an object, or a newer change of it, was acknowledged. */
  acknowledge(ref: string): void {
    if (this.#unacknowledged.delete(ref) && this.isComplete) this.#onComplete(this.#count);
  }
}
