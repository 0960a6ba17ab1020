import type { ContactView } from "../../model/catalog.ts";
import { type ObjectKey, refOf } from "../../model/object-key.ts";
import { isProblem } from "../../model/status.ts";
import { type Row, type RowChange, type RowVersion, supersedes } from "../../row/row.ts";
import { areEqualImpacts, CauseIndex } from "../causes/cause-index.ts";
import { addToSet, deleteFromSet } from "../set-index.ts";
import { type ChangeList, changeList, isLive, type LiveEntry, type ObjectEntry } from "./object-entry.ts";
import { type ProblemChanges, problemChanges } from "./problem-changes.ts";
import { countRow, emptyRowCounts, type RowCounts } from "./row-counts.ts";
import { haveDifferentPlaces, nameSortKey } from "./row-order.ts";
import { WaitingIndex } from "./waiting-index.ts";

/** Objects of one realm. An agent has a single realm with an empty name. */
export type RealmRows = {
  readonly entries: Map<string, ObjectEntry>;
  readonly counts: RowCounts;
  /** Rows of older epochs are ignored. */
  oldestEpoch: number;
  /** Unix ms before which no row becomes overdue; rows that were found overdue already are left out. */
  noneOverdueBeforeMs: number;
};

const noVersion: RowVersion = { epoch: 0, revision: 0 };

/** Rows in memory, with indexes that spare queries a pass over all rows. */
export class RowStore {
  readonly #maxTombstones: number;
  readonly #realms = new Map<string, RealmRows>();
  readonly #changes = changeList();
  readonly #problems = new Set<LiveEntry>();
  readonly #problemChanges = problemChanges(maxProblemChanges);
  readonly #servicesByHost = new Map<string, Set<LiveEntry>>();
  readonly #hostsByParent = new Map<string, Set<LiveEntry>>();
  readonly #dependents = new Map<string, Set<LiveEntry>>();
  /** Entries of deleted objects, oldest first. */
  readonly #tombstones = new Set<ObjectEntry>();
  readonly #causes = new CauseIndex();
  readonly #waiting = new WaitingIndex();
  #forgottenChange = 0;
  readonly realms: ReadonlyMap<string, RealmRows> = this.#realms;
  readonly changes: Pick<ChangeList, "newestChange" | "since"> = this.#changes;
  readonly problems: ReadonlySet<LiveEntry> = this.#problems;
  readonly problemChanges: Pick<ProblemChanges, "since"> = this.#problemChanges;
  /** Services by host name, in all realms. */
  readonly servicesByHost: ReadonlyMap<string, ReadonlySet<LiveEntry>> = this.#servicesByHost;
  /** Hosts by the name of each of their parents, in all realms. */
  readonly hostsByParent: ReadonlyMap<string, ReadonlySet<LiveEntry>> = this.#hostsByParent;
  /** Objects by the reference of each object that their dependencies read, in all realms. */
  readonly dependents: ReadonlyMap<string, ReadonlySet<LiveEntry>> = this.#dependents;

  /** @param maxTombstones number of deleted objects that are remembered, for `changedSince` and to reject late rows */
  constructor(maxTombstones: number) {
    this.#maxTombstones = maxTombstones;
  }

  /** Number of the newest change whose tombstone has been discarded. */
  get forgottenChange(): number {
    return this.#forgottenChange;
  }

  apply(change: RowChange): void {
    if (change.kind === "put") this.#put(change.row);
    else this.#drop(change);
  }

  /** [CS2] Sets the causes and impacts that follow from the changes so far. Rows whose own differ now count as changed. */
  settleCauses(): void {
    for (const entry of this.#causes.takeChanges()) {
      const cause = this.#causes.causeOf(entry);
      entry.cause = cause;
      if (!isLive(entry)) continue;
      const impact = this.#causes.impactOf(entry);
      if (entry.row.cause === cause?.key && areEqualImpacts(impact, entry.row.impact)) continue;
      this.#replaceRow(entry, { ...entry.row, impact, cause: cause?.key });
    }
  }

  /** [DL32] Marks the rows of a realm whose deliveries wait for contacts that fail. Rows that differ count as changed. */
  setContacts(realm: string, contacts: readonly Pick<ContactView, "name" | "failingSinceMs">[]): void {
    for (const entry of this.#waiting.setContacts(realm, contacts)) {
      const row = this.#waiting.withWaiting(entry.row);
      if (row !== entry.row) this.#replaceRow(entry, row);
    }
  }

  dropRealmRowsBelow(name: string, epoch: number): void {
    const realm = this.#realmOf(name);
    realm.oldestEpoch = Math.max(realm.oldestEpoch, epoch);
    for (const entry of [...realm.entries.values()])
      if (isLive(entry) && entry.epoch < realm.oldestEpoch) this.#markDeleted(entry, realm, entry);
    this.settleCauses();
  }

  /** Removes all rows of a realm. Any epoch and revision of an object is newer from now on. */
  forgetRealm(name: string): void {
    const realm = this.#realmOf(name);
    realm.oldestEpoch = 0;
    for (const entry of [...realm.entries.values()])
      if (isLive(entry)) this.#markDeleted(entry, realm, noVersion);
      else setVersion(entry, noVersion);
    this.settleCauses();
  }

  /** Counts an entry as changed. */
  touch(entry: ObjectEntry): void {
    this.#changes.touch(entry);
    if (isLive(entry) && this.#problems.has(entry)) this.#problemChanges.note(entry);
  }

  #put(row: Row): void {
    const { key } = row.about;
    const realm = this.#realmOf(row.realm);
    if (row.epoch < realm.oldestEpoch) return;
    const ref = refOf(key);
    const entry = realm.entries.get(ref) ?? newEntry(row.realm, key, ref);
    if (!supersedes(row, entry, false)) return;
    realm.entries.set(ref, entry);
    this.#tombstones.delete(entry);
    this.#replaceRow(entry, this.#waiting.withWaiting(withKnownCause(row, entry.row)), realm);
    setVersion(entry, row);
    this.#causes.update(entry);
  }

  #replaceRow(entry: ObjectEntry, row: Row, realm: RealmRows = this.#realmOf(entry.realm)): void {
    const isElsewhere = !isLive(entry) || haveDifferentPlaces(entry.row, row);
    const wasProblem = this.#unindex(entry, realm);
    this.#index(Object.assign(entry, { row }), realm);
    this.touch(entry);
    if (isElsewhere) entry.placeChange = entry.change;
    if (wasProblem) this.#problemChanges.note(entry);
  }

  #drop({ realm: name, key, epoch, revision }: Extract<RowChange, { kind: "drop" }>): void {
    const realm = this.#realmOf(name);
    const ref = refOf(key);
    const entry = realm.entries.get(ref) ?? newEntry(name, key, ref);
    if (!supersedes({ epoch, revision }, entry, isLive(entry))) return;
    realm.entries.set(ref, entry);
    this.#markDeleted(entry, realm, { epoch, revision });
  }

  #markDeleted(entry: ObjectEntry, realm: RealmRows, version: RowVersion): void {
    const wasProblem = this.#unindex(entry, realm);
    if (isLive(entry) && entry.key.kind === "service") deleteFromSet(this.#servicesByHost, entry.key.host, entry);
    entry.row = undefined;
    setVersion(entry, version);
    this.#causes.update(entry);
    this.#tombstones.delete(entry);
    this.#tombstones.add(entry);
    this.touch(entry);
    if (wasProblem) this.#problemChanges.note(entry);
    if (this.#tombstones.size > this.#maxTombstones) this.#forgetOldestTombstone();
  }

  #forgetOldestTombstone(): void {
    const [oldest] = this.#tombstones;
    if (oldest === undefined) return;
    this.#tombstones.delete(oldest);
    this.#changes.remove(oldest);
    this.#realms.get(oldest.realm)?.entries.delete(oldest.ref);
    this.#forgottenChange = oldest.change;
  }

  #realmOf(name: string): RealmRows {
    const known = this.#realms.get(name);
    if (known !== undefined) return known;
    const realm: RealmRows = {
      entries: new Map(),
      counts: emptyRowCounts(),
      oldestEpoch: 0,
      noneOverdueBeforeMs: Number.POSITIVE_INFINITY,
    };
    this.#realms.set(name, realm);
    return realm;
  }

  /** Takes the row of an entry, if any, out of the counts. Returns true when it was a problem. */
  #unindex(entry: ObjectEntry, { counts }: RealmRows): boolean {
    if (!isLive(entry)) return false;
    countRow(counts, entry.row, -1);
    this.#waiting.delete(entry);
    for (const parent of entry.row.about.parents) deleteFromSet(this.#hostsByParent, parent, entry);
    for (const ref of entry.row.about.dependsOn) deleteFromSet(this.#dependents, ref, entry);
    return this.#problems.delete(entry);
  }

  #index(entry: LiveEntry, realm: RealmRows): void {
    countRow(realm.counts, entry.row, 1);
    this.#waiting.add(entry);
    noteOverdueTime(realm, entry.row);
    if (isProblem(entry.row.status)) this.#problems.add(entry);
    for (const parent of entry.row.about.parents) addToSet(this.#hostsByParent, parent, entry);
    for (const ref of entry.row.about.dependsOn) addToSet(this.#dependents, ref, entry);
    if (entry.key.kind === "service") addToSet(this.#servicesByHost, entry.key.host, entry);
  }
}

/** Takes a row that is not overdue yet into account of the realm's earliest overdue time. */
export function noteOverdueTime(realm: RealmRows, { overdueAtMs = Number.POSITIVE_INFINITY }: Row): void {
  realm.noneOverdueBeforeMs = Math.min(realm.noneOverdueBeforeMs, overdueAtMs);
}

/** Number of changes of problems that are remembered: some minutes of a site with many. */
const maxProblemChanges = 20_000;

const newEntry = (realm: string, key: ObjectKey, ref: string): ObjectEntry => ({
  realm,
  key,
  ref,
  sortKey: nameSortKey(realm, key),
  row: undefined,
  cause: undefined,
  epoch: -1,
  revision: -1,
  change: 0,
  placeChange: 0,
  older: undefined,
  newer: undefined,
});

/** Keeps cause and impact of the row before until they are derived again; what a realm says of them does not count. */
const withKnownCause = (row: Row, before: Row | undefined): Row =>
  row.impact === before?.impact && row.cause === before?.cause
    ? row
    : { ...row, impact: before?.impact, cause: before?.cause };

function setVersion(entry: ObjectEntry, { epoch, revision }: RowVersion): void {
  entry.epoch = epoch;
  entry.revision = revision;
}
