import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { RowChange, RowVersion } from "@realmwatch/shared/row/row";
import { isNewerVersion, keyOfChange, supersedes } from "@realmwatch/shared/row/row";
import { catalogPartToken } from "@realmwatch/shared/wire/catalog-parts";
import type { VersionedCatalogPart } from "./held/held-catalog.ts";

/** Changes of one realm from a batch of messages, written together. */
export type RealmWrite = {
  readonly realm: string;
  /** Sequence of the message that the realm was forgotten, before the rest of the batch; undefined when it was not. */
  readonly forgottenSeq?: number | undefined;
  readonly changes: readonly RowChange[];
  /** Greatest epoch whose rows are all published; undefined when the batch has no complete marker. */
  readonly completeEpoch: number | undefined;
  readonly catalogParts: readonly VersionedCatalogPart[];
  readonly records: readonly HistoryRecord[];
};

/** Content of one message, without its realm. */
export type RealmUpdate =
  /** The realm was forgotten: what was published before does not count any more. */
  | { readonly kind: "forget"; readonly seq: number }
  | { readonly kind: "change"; readonly change: RowChange }
  | { readonly kind: "complete"; readonly epoch: number }
  | { readonly kind: "catalog"; readonly part: VersionedCatalogPart }
  | { readonly kind: "record"; readonly record: HistoryRecord };

/** Merges messages of a realm into one write, with only the newest change of each object. */
export function mergeUpdates(realm: string, updates: readonly RealmUpdate[]): RealmWrite {
  const forgetsAt = updates.findLastIndex(({ kind }) => kind === "forget");
  const forget = updates[forgetsAt];
  const changes = new Map<string, RowChange>();
  const records: HistoryRecord[] = [];
  let completeEpoch: number | undefined;
  const catalogParts = new Map<string, VersionedCatalogPart>();
  for (const update of updates.slice(forgetsAt + 1)) {
    if (update.kind === "forget") continue;
    if (update.kind === "change") keepNewest(changes, update.change);
    else if (update.kind === "record") records.push(update.record);
    else if (update.kind === "complete") completeEpoch = Math.max(completeEpoch ?? 0, update.epoch);
    else keepNewestPart(catalogParts, update.part);
  }
  const forgottenSeq = forget?.kind === "forget" ? forget.seq : undefined;
  return {
    ...{ realm, forgottenSeq, changes: [...changes.values()], completeEpoch, records },
    catalogParts: [...catalogParts.values()],
  };
}

function keepNewestPart(parts: Map<string, VersionedCatalogPart>, part: VersionedCatalogPart): void {
  const known = parts.get(catalogPartToken(part));
  if (known === undefined || isNewerVersion(part, known)) parts.set(catalogPartToken(part), part);
}

const versionOf = (change: RowChange): RowVersion => (change.kind === "put" ? change.row : change);

function keepNewest(changes: Map<string, RowChange>, change: RowChange): void {
  const ref = refOf(keyOfChange(change));
  const known = changes.get(ref);
  const isRemoval = change.kind === "drop" && known?.kind === "put";
  if (known === undefined || supersedes(versionOf(change), versionOf(known), isRemoval)) changes.set(ref, change);
}
