import { type ObjectKey, refOf } from "../../model/object-key.ts";
import { isProblem } from "../../model/status.ts";
import type { Row, RowChange, RowVersion } from "../../row/row.ts";
import { type ChangeList, changeList, isLive, type LiveEntry, type ObjectEntry } from "./object-entry.ts";
import { type ProblemChanges, problemChanges } from "./problem-changes.ts";
import { countRow, emptyRowCounts, type RowCounts } from "./row-counts.ts";
import { haveDifferentPlaces, nameSortKey } from "./row-order.ts";

/** Objects of one realm. An agent has a single realm with an empty name. */
export type RealmRows = {
  readonly entries: Map<string, ObjectEntry>;
  readonly counts: RowCounts;
  /** Rows of older epochs are ignored. */
  oldestEpoch: number;
  /** Unix ms before which no row becomes overdue; rows that were found overdue already are left out. */
  noneOverdueBeforeMs: number;
};

/** Rows in memory, with indexes that spare queries a pass over all rows. */
export type RowStore = {
  readonly realms: ReadonlyMap<string, RealmRows>;
  readonly changes: ChangeList;
  readonly problems: ReadonlySet<LiveEntry>;
  readonly problemChanges: Pick<ProblemChanges, "since">;
  /** Services by host name, in all realms. */
  readonly servicesByHost: ReadonlyMap<string, ReadonlySet<LiveEntry>>;
  /** Number of the newest change whose tombstone has been discarded. */
  readonly forgottenChange: number;
  apply(change: RowChange): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
  /** Removes all rows of a realm. Any epoch and revision of an object is newer from now on. */
  forgetRealm(realm: string): void;
};

/** Change of the version that is held of one object; undefined stands for no row. */
export type HeldVersionChange = {
  readonly realm: string;
  readonly key: ObjectKey;
  readonly before: RowVersion | undefined;
  readonly after: RowVersion | undefined;
  /** Number of the message that made the change; 0 when it was none or was not numbered. */
  readonly published: number;
};

const noVersion: RowVersion = { epoch: 0, revision: 0 };

/**
 * @param maxTombstones number of deleted objects that are remembered, for `changedSince` and to reject late rows
 * @param onVersion called for each change of a held version, after it is applied
 */
export function rowStore(maxTombstones: number, onVersion: (change: HeldVersionChange) => void = () => {}): RowStore {
  const realms = new Map<string, RealmRows>();
  const allChanges = changeList();
  const problems = new Set<LiveEntry>();
  const changedProblems = problemChanges(maxProblemChanges);
  const changes: ChangeList = {
    get newestChange() {
      return allChanges.newestChange;
    },
    touch(entry) {
      allChanges.touch(entry);
      if (isLive(entry) && problems.has(entry)) changedProblems.note(entry);
    },
    remove: allChanges.remove,
    since: allChanges.since,
  };
  const servicesByHost = new Map<string, Set<LiveEntry>>();
  /** Entries of deleted objects, oldest first. */
  const tombstones = new Set<ObjectEntry>();
  let forgottenChange = 0;

  function ensureRealm(name: string): RealmRows {
    const known = realms.get(name);
    if (known !== undefined) return known;
    const realm: RealmRows = {
      entries: new Map(),
      counts: emptyRowCounts(),
      oldestEpoch: 0,
      noneOverdueBeforeMs: Number.POSITIVE_INFINITY,
    };
    realms.set(name, realm);
    return realm;
  }

  function unindex(entry: LiveEntry, { counts }: RealmRows): void {
    countRow(counts, entry.row, -1);
    problems.delete(entry);
  }

  function index(entry: LiveEntry, realm: RealmRows): void {
    countRow(realm.counts, entry.row, 1);
    noteOverdueTime(realm, entry.row);
    if (isProblem(entry.row.status)) problems.add(entry);
  }

  function indexService(entry: LiveEntry): void {
    if (entry.key.kind !== "service") return;
    const services = servicesByHost.get(entry.key.host);
    if (services === undefined) servicesByHost.set(entry.key.host, new Set([entry]));
    else services.add(entry);
  }

  function unindexService(entry: LiveEntry): void {
    if (entry.key.kind !== "service") return;
    const services = servicesByHost.get(entry.key.host);
    services?.delete(entry);
    if (services?.size === 0) servicesByHost.delete(entry.key.host);
  }

  function put(row: Row, published: number): void {
    const realm = ensureRealm(row.realm);
    if (row.epoch < realm.oldestEpoch) return;
    const ref = refOf(row.about.key);
    const entry = realm.entries.get(ref) ?? newEntry(row.realm, row.about.key, ref);
    if (!supersedes(row, entry, false)) return;
    const before = isLive(entry) ? versionOf(entry) : undefined;
    const wasProblem = isLive(entry) && problems.has(entry);
    const isElsewhere = !isLive(entry) || haveDifferentPlaces(entry.row, row);
    if (isLive(entry)) unindex(entry, realm);
    const live = setRow(entry, row);
    realm.entries.set(ref, entry);
    tombstones.delete(entry);
    indexService(live);
    index(live, realm);
    changes.touch(entry);
    if (isElsewhere) entry.placeChange = entry.change;
    if (wasProblem) changedProblems.note(entry);
    onVersion({ realm: row.realm, key: row.about.key, before, after: versionOf(row), published });
  }

  function drop({ realm: name, key, epoch, revision, published = 0 }: Extract<RowChange, { kind: "drop" }>): void {
    const realm = ensureRealm(name);
    const ref = refOf(key);
    const entry = realm.entries.get(ref) ?? newEntry(name, key, ref);
    if (!supersedes({ epoch, revision }, entry, isLive(entry))) return;
    realm.entries.set(ref, entry);
    markDeleted(entry, realm, { epoch, revision }, published);
  }

  function markDeleted(entry: ObjectEntry, realm: RealmRows, version: RowVersion, published = 0): void {
    const before = isLive(entry) ? versionOf(entry) : undefined;
    const wasProblem = isLive(entry) && problems.has(entry);
    if (isLive(entry)) {
      unindex(entry, realm);
      unindexService(entry);
    }
    entry.row = undefined;
    setVersion(entry, version);
    tombstones.delete(entry);
    tombstones.add(entry);
    changes.touch(entry);
    if (wasProblem) changedProblems.note(entry);
    if (tombstones.size > maxTombstones) forgetOldestTombstone();
    if (before !== undefined) onVersion({ realm: entry.realm, key: entry.key, before, after: undefined, published });
  }

  function forgetOldestTombstone(): void {
    const [oldest] = tombstones;
    if (oldest === undefined) return;
    tombstones.delete(oldest);
    changes.remove(oldest);
    realms.get(oldest.realm)?.entries.delete(oldest.ref);
    forgottenChange = oldest.change;
  }

  return {
    realms,
    changes,
    problems,
    problemChanges: changedProblems,
    servicesByHost,
    get forgottenChange() {
      return forgottenChange;
    },
    apply: (change) => (change.kind === "put" ? put(change.row, change.published ?? 0) : drop(change)),
    dropRealmRowsBelow(name, epoch) {
      const realm = ensureRealm(name);
      realm.oldestEpoch = Math.max(realm.oldestEpoch, epoch);
      for (const entry of [...realm.entries.values()])
        if (isLive(entry) && entry.epoch < realm.oldestEpoch) markDeleted(entry, realm, entry);
    },
    forgetRealm(name) {
      const realm = ensureRealm(name);
      realm.oldestEpoch = 0;
      for (const entry of [...realm.entries.values()])
        if (isLive(entry)) markDeleted(entry, realm, noVersion);
        else setVersion(entry, noVersion);
    },
  };
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
  epoch: -1,
  revision: -1,
  change: 0,
  placeChange: 0,
  older: undefined,
  newer: undefined,
});

const versionOf = ({ epoch, revision }: RowVersion): RowVersion => ({ epoch, revision });

/** Compares versions by epoch, then revision. `alsoEqual`: a removal supersedes the row of the same version too. */
const supersedes = (version: RowVersion, known: RowVersion, alsoEqual: boolean): boolean =>
  version.epoch > known.epoch ||
  (version.epoch === known.epoch &&
    (version.revision > known.revision || (alsoEqual && version.revision === known.revision)));

function setRow(entry: ObjectEntry, row: Row): LiveEntry {
  setVersion(entry, row);
  return Object.assign(entry, { row });
}

function setVersion(entry: ObjectEntry, { epoch, revision }: RowVersion): void {
  entry.epoch = epoch;
  entry.revision = revision;
}
