import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { RowChange } from "@realmwatch/shared/model/row";

/** What a batch of messages says of one realm. */
export type RealmWrite = {
  readonly realm: string;
  readonly changes: readonly RowChange[];
  /** The greatest epoch of which everything was published. */
  readonly completeEpoch: number | undefined;
  readonly catalog: { readonly epoch: number; readonly revision: number; readonly catalog: Catalog } | undefined;
  readonly records: readonly HistoryRecord[];
};

/** What one message says; its realm is named apart. */
export type RealmUpdate =
  | { readonly kind: "change"; readonly change: RowChange }
  | { readonly kind: "complete"; readonly epoch: number }
  | { readonly kind: "catalog"; readonly epoch: number; readonly revision: number; readonly catalog: Catalog }
  | { readonly kind: "record"; readonly record: HistoryRecord };

/** One write of what several messages of a realm say: of each object only the newest word. */
export function mergeUpdates(realm: string, told: readonly RealmUpdate[]): RealmWrite {
  const changes = new Map<string, RowChange>();
  const records: HistoryRecord[] = [];
  let completeEpoch: number | undefined;
  let catalog: RealmWrite["catalog"];
  for (const one of told) {
    if (one.kind === "change") keepNewest(changes, one.change);
    else if (one.kind === "record") records.push(one.record);
    else if (one.kind === "complete") completeEpoch = Math.max(completeEpoch ?? 0, one.epoch);
    else if (catalog === undefined || isNewer(one, catalog)) catalog = one;
  }
  return { realm, changes: [...changes.values()], completeEpoch, catalog, records };
}

type Version = { readonly epoch: number; readonly revision: number };

const isNewer = (a: Version, b: Version): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.revision > b.revision);

/** The end of an object outranks a row of the same version too. */
const supersedes = (change: RowChange, known: RowChange): boolean =>
  isNewer(versionOf(change), versionOf(known)) ||
  (change.kind === "drop" && known.kind === "put" && !isNewer(versionOf(known), versionOf(change)));

const versionOf = (change: RowChange): Version => (change.kind === "put" ? change.row : change);

function keepNewest(changes: Map<string, RowChange>, change: RowChange): void {
  const ref = refOf(change.kind === "put" ? change.row.about.key : change.key);
  const known = changes.get(ref);
  if (known === undefined || supersedes(change, known)) changes.set(ref, change);
}
