import { keyOf, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { RowChange, RowVersion } from "@realmwatch/shared/row/row";
import { supersedes } from "@realmwatch/shared/row/row";

/** Change of the version that is held of one object; undefined stands for no row. */
export type HeldVersionChange = {
  readonly realm: string;
  readonly key: ObjectKey;
  readonly before: RowVersion | undefined;
  readonly after: RowVersion | undefined;
  /** Number of the message that made the change; 0 when it was none or was not numbered. */
  readonly published: number;
};

/** Version of an object. `isRow`: false for one that was removed with that version. */
type Held = { readonly epoch: number; readonly revision: number; readonly isRow: boolean };

type HeldRealm = {
  readonly versions: Map<string, Held>;
  /** Rows of older epochs are ignored. */
  oldestEpoch: number;
};

/** Maximum number of removed objects that are remembered, to ignore late rows of them. */
const maxRemoved = 50_000;

/**
 * Versions of all rows that the port's thread holds, without the rows: which changes are newer than what is held, and the
 * evidence about it. The greatest (epoch, revision) of each object wins.
 */
export class HeldVersions {
  readonly #onChange: (change: HeldVersionChange) => void;
  readonly #realms = new Map<string, HeldRealm>();
  /** Removed objects with their realms, oldest first. */
  readonly #removed = new Map<Held, { readonly realm: string; readonly ref: string }>();
  #rows = 0;

  /** @param onChange called for each change of a held version, after it is applied */
  constructor(onChange: (change: HeldVersionChange) => void) {
    this.#onChange = onChange;
  }

  /** Number of rows. */
  get rows(): number {
    return this.#rows;
  }

  /** True when the object has a row. */
  holds(realm: string, key: ObjectKey): boolean {
    return this.#realms.get(realm)?.versions.get(refOf(key))?.isRow ?? false;
  }

  /** Applies a change. Returns false for one that is not newer than what is held. */
  apply(change: RowChange): boolean {
    const isRow = change.kind === "put";
    const { epoch, revision } = isRow ? change.row : change;
    const [name, key] = isRow ? [change.row.realm, change.row.about.key] : [change.realm, change.key];
    const realm = this.#realmOf(name);
    const ref = refOf(key);
    const known = realm.versions.get(ref);
    if (isRow && epoch < realm.oldestEpoch) return false;
    if (known !== undefined && !supersedes({ epoch, revision }, known, !isRow && known.isRow)) return false;
    this.#set(realm, { name, ref, held: { epoch, revision, isRow } });
    const before = known?.isRow ? { epoch: known.epoch, revision: known.revision } : undefined;
    const after = isRow ? { epoch, revision } : undefined;
    if (before ?? after) this.#onChange({ realm: name, key, before, after, published: change.published ?? 0 });
    return true;
  }

  /** Removes the realm's rows of epochs below `epoch`; such rows are not newer from now on. */
  dropRealmRowsBelow(name: string, epoch: number): void {
    const realm = this.#realmOf(name);
    realm.oldestEpoch = Math.max(realm.oldestEpoch, epoch);
    for (const [ref, known] of [...realm.versions]) {
      if (!known.isRow || known.epoch >= realm.oldestEpoch) continue;
      this.#set(realm, { name, ref, held: { ...known, isRow: false } });
      const before = { epoch: known.epoch, revision: known.revision };
      this.#onChange({ realm: name, key: keyOf(ref), before, after: undefined, published: 0 });
    }
  }

  /** Forgets a realm, without a call of `onChange`: any version of an object is newer from now on. */
  forgetRealm(name: string): void {
    for (const held of this.#realms.get(name)?.versions.values() ?? [])
      if (held.isRow) this.#rows -= 1;
      else this.#removed.delete(held);
    this.#realms.delete(name);
  }

  #set(realm: HeldRealm, { name, ref, held }: { name: string; ref: string; held: Held }): void {
    const known = realm.versions.get(ref);
    if (known !== undefined) this.#removed.delete(known);
    this.#rows += Number(held.isRow) - Number(known?.isRow ?? false);
    realm.versions.set(ref, held);
    if (held.isRow) return;
    this.#removed.set(held, { realm: name, ref });
    if (this.#removed.size > maxRemoved) this.#forgetOldestRemoved();
  }

  #forgetOldestRemoved(): void {
    const [oldest] = this.#removed;
    if (oldest === undefined) return;
    const [held, { realm, ref }] = oldest;
    this.#removed.delete(held);
    this.#realms.get(realm)?.versions.delete(ref);
  }

  #realmOf(name: string): HeldRealm {
    const known = this.#realms.get(name);
    if (known !== undefined) return known;
    const realm: HeldRealm = { versions: new Map(), oldestEpoch: 0 };
    this.#realms.set(name, realm);
    return realm;
  }
}
