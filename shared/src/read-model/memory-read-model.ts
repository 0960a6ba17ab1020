import type { Catalog } from "../model/catalog.ts";
import { type ObjectKey, refOf } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import type { Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import type { Labels, Row, RowChange } from "../model/row.ts";
import type { SelectorSubject } from "../text/selector.ts";
import { selectedValues } from "../text/selector.ts";
import { summaryCache } from "./rows/summary-cache.ts";
import type { HistorySource } from "./history/history-source.ts";
import { type RowStore, rowStore, type RealmRows } from "./rows/row-store.ts";
import { isLive, type LiveEntry, type ObjectEntry } from "./rows/object-entry.ts";
import { parseModelRevision, parseRowPageToken, formatModelRevision } from "./page-token.ts";
import { type RowPage, type RowPageOptions, rowPage } from "./rows/row-page.ts";
import { openPastStatus } from "./past/past-status.ts";
import type { PastSource } from "./past/past-records.ts";
import type {
  HistoryAnswer,
  HistoryQuery,
  ReadModel,
  RowFilter,
  StatusAnswer,
  StatusQuery,
  StatusSort,
  StatusSummary,
} from "./read-model.ts";
import { anyRow, matchesOnlyProblems, mayEverMatch, dependsOnNames, matchesFilter, selectorSubjectOf } from "./rows/row-filter.ts";
import type { SortPosition } from "./rows/row-order.ts";
import { scanPastRecords } from "./past/scan-past-records.ts";
import { summaryOfRows, summaryOfCounts } from "./rows/row-counts.ts";

export type MemoryReadModelOptions = {
  /** Names this life of this process, other than every earlier one: revisions of another are not understood. */
  readonly generation: string;
  readonly history: HistorySource;
  /** What knows the past best; default: all of `history` is read for each question. */
  readonly past?: PastSource;
  /** Lets others have the thread, in questions that look at everything. Default: nobody else needs it. */
  readonly yieldToEventLoop?: () => Promise<void>;
  /** What `@realm` says of rows without a realm: an agent's own realm. Default: empty, as on an aggregator. */
  readonly ownRealm?: string;
  /** The labels that a realm's objects have beneath their own. Default: none. */
  readonly realmLabels?: (realm: string) => Labels;
  /** How many objects that are gone are remembered. Default 50 000. */
  readonly maxTombstones?: number;
};

export type MemoryReadModel = ReadModel & {
  /** Takes changes in any order, as often as they come: (epoch, revision) decides which one stands. */
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  /** Hands over who knows the realms. Without it there are none. */
  setRealms(realms: () => readonly RealmView[]): void;
  /** Ends each row of the realm that an epoch before `epoch` brought, and takes no more of them. */
  dropRealmRowsBelow(realm: string, epoch: number): void;
  /** What a selector sees of an object; undefined where there is none. */
  selectorSubject(realm: string, key: ObjectKey): SelectorSubject | undefined;
  readonly size: number;
};

/**
 * Rows in memory. Unfiltered summaries and those by realm, kind, status or handling cost nothing;
 * `changedSince` costs what changed; a selector costs one pass over what the indexes leave.
 */
export function memoryReadModel(options: MemoryReadModelOptions): MemoryReadModel {
  const store = rowStore(options.maxTombstones ?? 50_000);
  const summaries = summaryCache(store, maxCachedSummaries);
  const naming = { ownRealm: options.ownRealm ?? "" };
  const catalogs = new Map<string, Catalog>();
  let realms: () => readonly RealmView[] = () => [];
  const breathe = options.yieldToEventLoop ?? (async () => {});
  const pastStatus = openPastStatus({
    naming,
    yieldToEventLoop,
    past: options.past ?? scanPastRecords(options.history, breathe),
    entries: (filter) => entriesAround(filter, realmsOf(store, filter.realm, naming.ownRealm)),
  });
  const withRealmLabels = realmLabelMerger(options.realmLabels);

  const liveRows = (filter: RowFilter): Iterable<LiveEntry> => matchingEntries(store, filter, naming.ownRealm);

  function summaryOf(filter: RowFilter): StatusSummary {
    if (dependsOnNames(filter)) return summaries.summary(filter, (row) => matchesFilter(row, filter, naming));
    const realms = realmsOf(store, filter.realm, naming.ownRealm);
    return summaryOfCounts(
      realms.map((realm) => realm.counts),
      filter,
    );
  }

  /** Problems come first by severity, so a page that they fill needs no look at the rest. */
  function filteredPage(filter: RowFilter, order: RowPageOptions): RowPage {
    const worstFirst = order.sort.by === "severity" && !order.sort.reverse && order.pageSize > 0;
    const problems = worstFirst ? rowPage(liveRows({ ...filter, problemsOnly: true }), order) : undefined;
    return problems !== undefined && problems.nextPageToken !== "" ? problems : rowPage(liveRows(filter), order);
  }

  function fullAnswer(query: StatusQuery, after: SortPosition | undefined): StatusAnswer {
    const order = { sort: query.sort, pageSize: query.changedSince === "" ? query.pageSize : 0, after };
    const matches = dependsOnNames(query) ? [...liveRows(query)] : undefined;
    const page = matches === undefined ? filteredPage(query, order) : rowPage(matches, order);
    return {
      ...page,
      summary: matches === undefined ? summaryOf(query) : summaryOfRows(rowsOf(matches)),
      revision: formatModelRevision(options.generation, store.changes.newestChange),
      removed: [],
      full: query.changedSince !== "",
    };
  }

  function changesSince(query: StatusQuery, change: number): StatusAnswer {
    const changed: LiveEntry[] = [];
    const removed: { realm: string; key: ObjectKey }[] = [];
    for (const entry of store.changes.since(change)) {
      if (!mayEverMatch(entry.realm, entry.key, query, naming)) continue;
      if (isLive(entry) && matchesFilter(entry.row, query, naming)) changed.push(entry);
      else removed.push({ realm: entry.realm, key: entry.key });
    }
    return {
      rows: rowPage(changed, { sort: query.sort, pageSize: 0, after: undefined }).rows,
      summary: summaryOf(query),
      nextPageToken: "",
      revision: formatModelRevision(options.generation, store.changes.newestChange),
      removed,
      full: false,
    };
  }

  return {
    apply(changes) {
      for (const change of changes) store.apply(withRealmLabels(change));
    },
    setCatalog: (catalog) => void catalogs.set(catalog.realm, catalog),
    setRealms(source) {
      realms = source;
    },
    dropRealmRowsBelow: (realm, epoch) => store.dropRealmRowsBelow(realm, epoch),
    selectorSubject(realm, key) {
      const row = store.realms.get(realm)?.entries.get(refOf(key))?.row;
      return row && selectorSubjectOf(row, naming);
    },
    get size() {
      let size = 0;
      for (const { counts } of store.realms.values())
        size += summaryOfCounts([counts], anyRow).counts.reduce((sum, { count }) => sum + count, 0);
      return size;
    },
    async status(query) {
      if (query.atMs !== undefined) return pastStatus.status(query, query.atMs);
      const since = parseModelRevision(query.changedSince, options.generation);
      const isKnown = since !== undefined && since >= store.forgottenChange && since <= store.changes.newestChange;
      if (isKnown) return ok(changesSince(query, since));
      const after = parseRowPageToken(query.sort, query.changedSince === "" ? query.pageToken : "");
      return after.ok ? ok(fullAnswer(query, after.value)) : after;
    },
    async objects(query) {
      const sort: StatusSort = { by: "name", reverse: false };
      const after = parseRowPageToken(sort, query.pageToken);
      if (!after.ok) return after;
      const { kinds, selector, realm, pageSize } = query;
      return ok(rowPage(liveRows({ ...anyRow, kinds, selector, realm }), { sort, pageSize, after: after.value }));
    },
    history: (query) => options.history.history(query),
    async catalogs() {
      return ok([...catalogs.values()].sort((a, b) => (a.realm < b.realm ? -1 : 1)));
    },
    async realms() {
      return ok(realms());
    },
  };
}

/** Selectors whose summaries are kept by difference; each costs some 50 B for each row it matches. */
const maxCachedSummaries = 8;

function* rowsOf(entries: Iterable<LiveEntry>): Iterable<Row> {
  for (const entry of entries) yield entry.row;
}

/** A realm's labels beneath the object's own, so that readers and selectors see both. */
function realmLabelMerger(realmLabels: MemoryReadModelOptions["realmLabels"]): (change: RowChange) => RowChange {
  if (realmLabels === undefined) return (change) => change;
  return (change) => {
    if (change.kind === "drop") return change;
    const { row } = change;
    const below = realmLabels(row.realm);
    if (Object.keys(below).length === 0) return change;
    return { kind: "put", row: { ...row, about: { ...row.about, labels: { ...below, ...row.about.labels } } } };
  };
}

function* matchingEntries(store: RowStore, filter: RowFilter, ownRealm: string): Iterable<LiveEntry> {
  for (const entry of candidateEntries(store, filter, ownRealm))
    if (isLive(entry) && matchesFilter(entry.row, filter, { ownRealm })) yield entry;
}

/** The smallest set that an index offers and that holds everything the filter can match. */
function* candidateEntries(store: RowStore, filter: RowFilter, ownRealm: string): Iterable<ObjectEntry> {
  const realms = realmsOf(store, filter.realm, ownRealm);
  if (filter.key !== undefined) {
    const ref = refOf(filter.key);
    for (const realm of realms) {
      const entry = realm.entries.get(ref);
      if (entry !== undefined) yield entry;
    }
    return;
  }
  const hosts = filter.selector && selectedValues(filter.selector, "@host");
  if (hosts !== undefined) for (const host of hosts) yield* store.servicesByHost.get(host) ?? [];
  else if (matchesOnlyProblems(filter)) yield* store.problems;
  else for (const realm of realms) yield* realm.entries.values();
}

function realmsOf(store: RowStore, realm: string, ownRealm: string): readonly RealmRows[] {
  if (realm === "") return [...store.realms.values()];
  const found = store.realms.get(realm === ownRealm ? "" : realm);
  return found === undefined ? [] : [found];
}

/** Everything that a question about the filter's rows may have to look at: what covers them, too. */
function* entriesAround({ key }: RowFilter, realms: readonly RealmRows[]): Iterable<LiveEntry> {
  for (const { entries } of realms) {
    if (key === undefined) for (const entry of entries.values()) yield* liveEntries(entry);
    else {
      const entry = entries.get(refOf(key));
      yield* liveEntries(entry);
      if (key.kind === "service") yield* liveEntries(entries.get(key.host));
      for (const parent of entry?.row?.about.parents ?? []) yield* liveEntries(entries.get(parent));
    }
  }
}

const liveEntries = (entry: ObjectEntry | undefined): readonly LiveEntry[] =>
  entry !== undefined && isLive(entry) ? [entry] : [];
