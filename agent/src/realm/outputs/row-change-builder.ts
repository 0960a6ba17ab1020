import type { Clock } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/model/row";
import { buildRow } from "../../engine/state/object-row.ts";
import type { RoundChanges } from "../loop/round-changes.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";

/** `urgent`: worth telling others at once; else only fresher. */
export type RowUpdate = { readonly change: RowChange; readonly urgent: boolean };

/**
 * Makes rows of a realm's objects. Each has a revision, from 1 and never given twice, within an epoch: whoever follows
 * tells an older row from a newer one by them.
 */
export class RowChangeBuilder {
  readonly #realm: RealmState;
  readonly #clock: Clock;
  #epoch: number;
  #revision = 0;

  constructor({ realm, clock, epoch }: { realm: RealmState; clock: Clock; epoch: number }) {
    this.#realm = realm;
    this.#clock = clock;
    this.#epoch = epoch;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Of the row that was made last. */
  get revision(): number {
    return this.#revision;
  }

  /** A newer epoch was minted: every row is new to whoever follows. */
  renumber(epoch: number): void {
    this.#epoch = epoch;
  }

  /** Rows of every object, as they are now. They have the last row's revision: nothing has changed. */
  *allRows(): Generator<RowChange> {
    for (const record of this.#realm.records.values()) yield this.#put(record);
  }

  /** What a round changed: objects that are gone, objects that it touched, and objects that others cover now. */
  changesOf({ objects, rowsToRefresh }: RoundChanges, gone: readonly ObjectRecord[]): readonly RowUpdate[] {
    const changes: RowUpdate[] = gone.map(({ plan }) => ({ change: this.#drop(plan), urgent: true }));
    const add = (ref: string, urgent: boolean): void => {
      const record = this.#realm.records.get(ref);
      if (record === undefined) return;
      this.#revision += 1;
      changes.push({ change: this.#put(record), urgent });
    };
    for (const [ref, weight] of objects) add(ref, weight !== "fresher");
    for (const ref of rowsToRefresh) if (!objects.has(ref)) add(ref, true);
    return changes;
  }

  #put(record: ObjectRecord): RowChange {
    const covering = this.#realm.suppressionOf(record, this.#clock.now());
    const numbers = { epoch: this.#epoch, revision: this.#revision };
    return { kind: "put", row: buildRow(record.plan, record.state, { covering, ...numbers }) };
  }

  #drop({ key }: ObjectRecord["plan"]): RowChange {
    this.#revision += 1;
    return { kind: "drop", realm: "", key, epoch: this.#epoch, revision: this.#revision };
  }
}
