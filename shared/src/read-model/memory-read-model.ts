import type { Catalog } from "../model/catalog.ts";
import { type ObjectKey, refOf } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import type { Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import type { Labels, Row, RowChange } from "../model/row.ts";
import type { SelectorSubject } from "../text/selector.ts";
import { selectedValues } from "../text/selector.ts";
import { countedViews } from "./rows/summary-cache.ts";
import { type EntryStore, entryStore, type RealmEntries } from "./rows/row-store.ts";
import { isLive, type LiveEntry, type ObjectEntry } from "./rows/object-entry.ts";
import { changeOfRevision, placeOfToken, sealRevision } from "./page-token.ts";
import { type Page, type PageOrder, pageOf } from "./rows/row-page.ts";
import { pastAnswers } from "./past/past-status.ts";
import type { PastReader } from "./past/past-records.ts";
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
import { anyRow, asksForProblems, couldMatch, looksAtNames, matchesFilter, subjectOf } from "./rows/row-filter.ts";
import type { Place } from "./rows/row-order.ts";
import { scanPast } from "./past/scan-past-records.ts";
import { summaryOfRows, summaryOfTallies } from "./rows/row-counts.ts";

/** Answers history queries: SQLite on an agent, memory or Redis on an aggregator. */
export type HistoryReader = { history(query: HistoryQuery): Promise<Result<HistoryAnswer, Refusal>> };

export type MemoryReadModelOptions = {
  /** Names this life of this process, other than every earlier one: revisions of another are not understood. */
  readonly generation: string;
  readonly history: HistoryReader;
  /** What knows the past best; default: all of `history` is read for each question. */
  readonly past?: PastReader;
  /** Lets others have the thread, in questions that look at everything. Default: nobody else needs it. */
  readonly breathe?: () => Promise<void>;
  /** What `@realm` says of rows without a realm: an agent's own realm. Default: empty, as on an aggregator. */
  readonly ownRealm?: string;
  /** The labels that a realm's objects have beneath their own. Default: none. */
  readonly realmLabels?: (realm: string) => Labels;
  /** How many objects that are gone are remembered. Default 50 000. */
  readonly maxGone?: number;
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
  subject(realm: string, key: ObjectKey): SelectorSubject | undefined;
  readonly size: number;
};

/**
 * Rows in memory. Unfiltered summaries and those by realm, kind, status or handling cost nothing;
 * `changedSince` costs what changed; a selector costs one pass over what the indexes leave.
 */
export function memoryReadModel(options: MemoryReadModelOptions): MemoryReadModel {
  const store = entryStore(options.maxGone ?? 50_000);
  const views = countedViews(store, maxCountedViews);
  const naming = { ownRealm: options.ownRealm ?? "" };
  const catalogs = new Map<string, Catalog>();
  let realms: () => readonly RealmView[] = () => [];
  const breathe = options.breathe ?? (async () => {});
  const thenAnswers = pastAnswers({
    naming,
    breathe,
    past: options.past ?? scanPast(options.history, breathe),
    entries: (filter) => entriesFor(filter, realmsOf(store, filter.realm, naming.ownRealm)),
  });
  const withRealmLabels = labelled(options.realmLabels);

  const liveRows = (filter: RowFilter): Iterable<LiveEntry> => matching(store, filter, naming.ownRealm);

  function summaryOf(filter: RowFilter): StatusSummary {
    if (looksAtNames(filter)) return views.summary(filter, (row) => matchesFilter(row, filter, naming));
    const realms = realmsOf(store, filter.realm, naming.ownRealm);
    return summaryOfTallies(
      realms.map((realm) => realm.tally),
      filter,
    );
  }

  /** Problems come first by severity, so a page that they fill needs no look at the rest. */
  function pageOfFilter(filter: RowFilter, order: PageOrder): Page {
    const worstFirst = order.sort.by === "severity" && !order.sort.reverse && order.pageSize > 0;
    const problems = worstFirst ? pageOf(liveRows({ ...filter, problemsOnly: true }), order) : undefined;
    return problems !== undefined && problems.nextPageToken !== "" ? problems : pageOf(liveRows(filter), order);
  }

  function wholeAnswer(query: StatusQuery, after: Place | undefined): StatusAnswer {
    const order = { sort: query.sort, pageSize: query.changedSince === "" ? query.pageSize : 0, after };
    const matches = looksAtNames(query) ? [...liveRows(query)] : undefined;
    const page = matches === undefined ? pageOfFilter(query, order) : pageOf(matches, order);
    return {
      ...page,
      summary: matches === undefined ? summaryOf(query) : summaryOfRows(rowsOf(matches)),
      revision: sealRevision(options.generation, store.chain.newestChange),
      removed: [],
      full: query.changedSince !== "",
    };
  }

  function changesSince(query: StatusQuery, change: number): StatusAnswer {
    const changed: LiveEntry[] = [];
    const removed: { realm: string; key: ObjectKey }[] = [];
    for (const entry of store.chain.since(change)) {
      if (!couldMatch(entry.realm, entry.key, query, naming)) continue;
      if (isLive(entry) && matchesFilter(entry.row, query, naming)) changed.push(entry);
      else removed.push({ realm: entry.realm, key: entry.key });
    }
    return {
      rows: pageOf(changed, { sort: query.sort, pageSize: 0, after: undefined }).rows,
      summary: summaryOf(query),
      nextPageToken: "",
      revision: sealRevision(options.generation, store.chain.newestChange),
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
    subject(realm, key) {
      const row = store.realms.get(realm)?.entries.get(refOf(key))?.row;
      return row && subjectOf(row, naming);
    },
    get size() {
      let size = 0;
      for (const { tally } of store.realms.values())
        size += summaryOfTallies([tally], anyRow).counts.reduce((sum, { count }) => sum + count, 0);
      return size;
    },
    async status(query) {
      if (query.atMs !== undefined) return thenAnswers.status(query, query.atMs);
      const since = changeOfRevision(query.changedSince, options.generation);
      const isKnown = since !== undefined && since >= store.forgottenChange && since <= store.chain.newestChange;
      if (isKnown) return ok(changesSince(query, since));
      const after = placeOfToken(query.sort, query.changedSince === "" ? query.pageToken : "");
      return after.ok ? ok(wholeAnswer(query, after.value)) : after;
    },
    async objects(query) {
      const sort: StatusSort = { by: "name", reverse: false };
      const after = placeOfToken(sort, query.pageToken);
      if (!after.ok) return after;
      const { kinds, selector, realm, pageSize } = query;
      return ok(pageOf(liveRows({ ...anyRow, kinds, selector, realm }), { sort, pageSize, after: after.value }));
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
const maxCountedViews = 8;

function* rowsOf(entries: Iterable<LiveEntry>): Iterable<Row> {
  for (const entry of entries) yield entry.row;
}

/** A realm's labels beneath the object's own, so that readers and selectors see both. */
function labelled(realmLabels: MemoryReadModelOptions["realmLabels"]): (change: RowChange) => RowChange {
  if (realmLabels === undefined) return (change) => change;
  return (change) => {
    if (change.kind === "drop") return change;
    const { row } = change;
    const below = realmLabels(row.realm);
    if (Object.keys(below).length === 0) return change;
    return { kind: "put", row: { ...row, about: { ...row.about, labels: { ...below, ...row.about.labels } } } };
  };
}

function* matching(store: EntryStore, filter: RowFilter, ownRealm: string): Iterable<LiveEntry> {
  for (const entry of candidates(store, filter, ownRealm))
    if (isLive(entry) && matchesFilter(entry.row, filter, { ownRealm })) yield entry;
}

/** The smallest set that an index offers and that holds everything the filter can match. */
function* candidates(store: EntryStore, filter: RowFilter, ownRealm: string): Iterable<ObjectEntry> {
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
  if (hosts !== undefined) for (const host of hosts) yield* store.servicesOf.get(host) ?? [];
  else if (asksForProblems(filter)) yield* store.problems;
  else for (const realm of realms) yield* realm.entries.values();
}

function realmsOf(store: EntryStore, realm: string, ownRealm: string): readonly RealmEntries[] {
  if (realm === "") return [...store.realms.values()];
  const found = store.realms.get(realm === ownRealm ? "" : realm);
  return found === undefined ? [] : [found];
}

/** Everything that a question about the filter's rows may have to look at: what covers them, too. */
function* entriesFor({ key }: RowFilter, realms: readonly RealmEntries[]): Iterable<LiveEntry> {
  for (const { entries } of realms) {
    if (key === undefined) for (const entry of entries.values()) yield* live(entry);
    else {
      const entry = entries.get(refOf(key));
      yield* live(entry);
      if (key.kind === "service") yield* live(entries.get(key.host));
      for (const parent of entry?.row?.about.parents ?? []) yield* live(entries.get(parent));
    }
  }
}

const live = (entry: ObjectEntry | undefined): readonly LiveEntry[] =>
  entry !== undefined && isLive(entry) ? [entry] : [];
