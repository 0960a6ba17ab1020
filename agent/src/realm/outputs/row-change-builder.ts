import type { Clock } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/row/row";
import { buildRow } from "../../engine/state/object-row.ts";
import type { RoundChanges } from "../loop/round-changes.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";

/** A changed row. `urgent` is false for a change of `background` urgency, such as a repeated result. */
export type RowUpdate = { readonly change: RowChange; readonly urgent: boolean };

/**
 * Builds the rows of a realm's objects. Each changed row gets the next revision, from 1 and unique within an epoch, by
 * which receivers order rows.
 */
export class RowChangeBuilder {
  readonly #realm: RealmReader;
  readonly #clock: Clock;
  #epoch: number;
  #revision = 0;

  constructor({ realm, clock, epoch }: { realm: RealmReader; clock: Clock; epoch: number }) {
    this.#realm = realm;
    this.#clock = clock;
    this.#epoch = epoch;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Revision of the last changed row; 0 before the first. */
  get revision(): number {
    return this.#revision;
  }

  /** Uses a newer epoch from now on, which makes every row newer than all rows before. */
  renumber(epoch: number): void {
    this.#epoch = epoch;
  }

  /** Present rows of all objects. They carry the last revision, because building them changes nothing. */
  *allRows(): Generator<RowChange> {
    for (const record of this.#realm.records.values()) yield this.#put(record);
  }

  /** Builds the row changes of a round: removed objects, changed objects, and rows to refresh. */
  build({ objects, rowsToRefresh }: RoundChanges, removed: readonly ReadonlyRecord[]): readonly RowUpdate[] {
    const updates: RowUpdate[] = removed.map(({ plan }) => ({ change: this.#drop(plan), urgent: true }));
    const add = (ref: string, urgent: boolean): void => {
      const record = this.#realm.records.get(ref);
      if (record === undefined) return;
      this.#revision += 1;
      updates.push({ change: this.#put(record), urgent });
    };
    for (const [ref, urgency] of objects) add(ref, urgency === "immediate");
    for (const ref of rowsToRefresh) if (!objects.has(ref)) add(ref, true);
    return updates;
  }

  #put(record: ReadonlyRecord): RowChange {
    const inherited = this.#realm.suppressionOf(record, this.#clock.now());
    const numbers = { epoch: this.#epoch, revision: this.#revision };
    return { kind: "put", row: buildRow(record.plan, record.state, { inherited, ...numbers }) };
  }

  #drop({ key }: ReadonlyRecord["plan"]): RowChange {
    this.#revision += 1;
    return { kind: "drop", realm: "", key, epoch: this.#epoch, revision: this.#revision };
  }
}
