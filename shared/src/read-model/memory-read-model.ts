import type { Catalog } from "../model/catalog.ts";
import { type ObjectKey, refOf } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import { ok } from "../model/result.ts";
import type { Labels } from "../model/row.ts";
import type { RowChange } from "../row/row.ts";
import type { SelectorSubject } from "../text/selector/selector.ts";
import type { HistorySource } from "./history/history-source.ts";
import {
  formatModelRevision,
  parseModelRevision,
  parseRowPageToken,
  rowPageToken,
  type TokenPlace,
} from "./page-token.ts";
import type { PastSource } from "./past/past-records.ts";
import { openPastStatus } from "./past/past-status.ts";
import { scanPastRecords } from "./past/scan-past-records.ts";
import type { CurrentRealms, ReadModel, RowFilter, StatusAnswer, StatusQuery, StatusSort } from "./read-model.ts";
import { RealmChanges } from "./realms/realm-changes.ts";
import { knownRealmsRevision, type RealmsRevision, realmNews } from "./realms/realm-news.ts";
import { isLive, type LiveEntry, type ObjectEntry } from "./rows/object-entry.ts";
import { overdueRows } from "./rows/overdue-rows.ts";
import { type PageWalk, pageWalk } from "./rows/page-walk.ts";
import { entriesAround, matchingEntries, realmsOf } from "./rows/row-candidates.ts";
import { summaryOfCounts, summaryOfRows } from "./rows/row-counts.ts";
import {
  anyRow,
  dependsOnNames,
  matchesFilter,
  matchesOnlyProblems,
  mayEverMatch,
  selectorSubjectOf,
} from "./rows/row-filter.ts";
import { type RowPage, type RowPageOptions, rowPage } from "./rows/row-page.ts";
import { type HeldVersionChange, rowStore } from "./rows/row-store.ts";
import { rowSummaries } from "./rows/row-summaries.ts";

type MemoryReadModelOptions = {
  /** Unique id of this process run: revisions of another generation are answered in full. */
  readonly generation: string;
  readonly history: HistorySource;
  /** Source of records around a past time. Default: each query reads all of `history`. */
  readonly past?: PastSource;
  /** Yields to the event loop during queries that read everything. Default: no yield. */
  readonly yieldToEventLoop?: () => Promise<void>;
  /** Realm of rows whose realm is empty: the agent's own. Default: empty, as on an aggregator. */
  readonly ownRealm?: string;
  /** Labels of a realm, which its objects inherit unless they have their own. Default: none. */
  readonly realmLabels?: (realm: string) => Labels;
  /** Maximum number of deleted objects that are remembered. Default 50 000. */
  readonly maxTombstones?: number;
  /** Called for each change of the version that is held of an object. Default: not called. */
  readonly onVersion?: (change: HeldVersionChange) => void;
};

export type MemoryReadModel = ReadModel & {
  /** Applies changes in any order and repetition: the greatest (epoch, revision) of each object wins. */
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  /** Sets the source of the realms. Default: no realms. */
  setRealms(realms: () => readonly RealmView[]): void;
  /** Removes the realm's rows of epochs below `epoch`, and ignores such rows from now on. */
  dropRealmRowsBelow(realm: string, epoch: number): void;
  /** Removes the rows and the catalog of a realm, which may begin again with any epoch. */
  forgetRealm(realm: string): void;
  /** Fields of an object that selectors match; undefined when the object does not exist. */
  selectorSubject(realm: string, key: ObjectKey): SelectorSubject | undefined;
  readonly size: number;
};

/**
 * Read model in memory. Summaries without a filter, or by realm, kind, status and handling, have constant cost;
 * `changedSince` costs the number of changes; a selector costs one pass over the rows that the indexes leave.
 */
export function memoryReadModel(options: MemoryReadModelOptions): MemoryReadModel {
  const store = rowStore(options.maxTombstones ?? 50_000, options.onVersion);
  const naming = { ownRealm: options.ownRealm ?? "" };
  const catalogs = new Map<string, Catalog>();
  let realms: () => readonly RealmView[] = () => [];
  const realmChanges = new RealmChanges();
  const yieldToEventLoop = options.yieldToEventLoop ?? (async () => {});
  const pastStatus = openPastStatus({
    naming,
    yieldToEventLoop,
    past: options.past ?? scanPastRecords(options.history, yieldToEventLoop),
    entries: (filter) => entriesAround(filter, realmsOf(store, filter.realm, naming.ownRealm)),
  });
  const withRealmLabels = realmLabelMerger(options.realmLabels);

  const overdue = overdueRows(store);
  const liveRows = (filter: RowFilter): Iterable<LiveEntry> =>
    filter.overdueAtMs === undefined
      ? matchingEntries(store, filter, naming.ownRealm)
      : [...overdue.at(filter.overdueAtMs)].filter(({ row }) => matchesFilter(row, filter, naming));

  const summaries = rowSummaries({ store, naming, overdue, realms: () => realmChanges.views, liveRows });

  /** By severity problems come first, so a page that problems fill does not need the other rows. */
  function filteredPage(filter: RowFilter, order: RowPageOptions<LiveEntry>): RowPage {
    const worstFirst = order.sort.by === "severity" && !order.sort.reverse && order.pageSize > 0;
    const problems = worstFirst ? rowPage(() => liveRows({ ...filter, problemsOnly: true }), order) : undefined;
    return problems?.next?.kind === "ordered" ? problems : rowPage(() => liveRows(filter), order);
  }

  const walkOf = (sort: StatusSort, token: TokenPlace | undefined): PageWalk =>
    pageWalk(sort, token, { generation: options.generation, change: store.changes.newestChange });

  function fullAnswer(query: StatusQuery, token: TokenPlace | undefined): StatusAnswer {
    const news = realmNews(realmChanges, { since: undefined, omitRealms: query.omitRealms, rowsOf: () => 0 });
    const isPaged = query.changedSince === "";
    const { start, ...walk } = walkOf(query.sort, token);
    const order = {
      ...walk,
      sort: query.sort,
      pageSize: isPaged ? query.pageSize : 0,
      offset: isPaged ? query.pageOffset : 0,
    };
    // The first query with a filter takes rows and summary from one pass; the summary of the next ones is cached.
    const matches = dependsOnNames(query) && !summaries.isRepeated(query) ? [...liveRows(query)] : undefined;
    const withRows = !query.summaryOnly && (isPaged || !query.changesOnly);
    const page = !withRows
      ? noRows
      : matches === undefined
        ? filteredPage(query, order)
        : rowPage(() => matches, order);
    return {
      rows: page.rows,
      nextPageToken: rowPageToken(query.sort, page.next, start),
      summary: summaries.summaryOf(
        query,
        matches === undefined ? summaries.totalsOf(query) : summaryOfRows(matches.map(({ row }) => row)),
      ),
      revision: revisionOf(news.revision),
      removed: [],
      full: query.changedSince !== "",
      realms: news.realms,
      currentRealms: currentRealmsOf(realmChanges.views),
      realmSummaries: summaries.realmTotalsOf(query),
      labelCounts: summaries.labelCountsOf(query),
    };
  }

  function changesSince(query: StatusQuery, { change, realms: since }: KnownRevision): StatusAnswer {
    const changed = new Set<LiveEntry>();
    const isAsked = (realm: string): boolean => query.realm === "" || query.realm === realm;
    const rowsOfRealm = (realm: string): number => (isAsked(realm) ? (store.realms.get(realm)?.entries.size ?? 0) : 0);
    const news = realmNews(realmChanges, { since, omitRealms: query.omitRealms, rowsOf: rowsOfRealm });
    for (const realm of query.summaryOnly ? [] : news.repeated.filter(isAsked))
      for (const entry of liveRows({ ...query, realm })) changed.add(entry);
    const summary = summaries.summaryOf(query, summaries.totalsOf(query));
    const removed: { realm: string; key: ObjectKey }[] = [];
    for (const entry of query.summaryOnly ? [] : changesFor(query, change)) {
      if (!mayEverMatch(entry.realm, entry.key, query, naming)) continue;
      if (isLive(entry) && matchesFilter(entry.row, query, naming)) changed.add(entry);
      else removed.push({ realm: entry.realm, key: entry.key });
    }
    return {
      rows: rowPage(() => changed, { sort: query.sort, pageSize: 0, place: undefined }).rows,
      summary,
      nextPageToken: "",
      revision: revisionOf(news.revision),
      removed,
      full: false,
      realms: news.realms,
      currentRealms: currentRealmsOf(realmChanges.views),
      realmSummaries: summaries.realmTotalsOf(query),
      labelCounts: summaries.labelCountsOf(query),
    };
  }

  /** [RM27] Most changes are results of objects without a problem, of which no client of a list of problems knows. */
  const changesFor = (query: StatusQuery, change: number): Iterable<ObjectEntry> =>
    (query.changesOnly && matchesOnlyProblems(query) ? store.problemChanges.since(change) : undefined) ??
    store.changes.since(change);

  const revisionOf = (realmsRevision: string): string =>
    formatModelRevision(options.generation, { change: store.changes.newestChange, realms: realmsRevision });

  /** Parses a revision from which on changes can be listed; undefined for every other text. */
  function knownRevision(text: string): KnownRevision | undefined {
    const revision = parseModelRevision(text, options.generation);
    const known = revision && knownRealmsRevision(realmChanges, revision.realms);
    if (revision === undefined || known === undefined) return undefined;
    const isKnown = revision.change >= store.forgottenChange && revision.change <= store.changes.newestChange;
    return isKnown ? { change: revision.change, realms: known } : undefined;
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
    forgetRealm(realm) {
      store.forgetRealm(realm);
      catalogs.delete(realm);
    },
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
      const views = realms();
      if (query.atMs !== undefined) {
        const answer = await pastStatus.status(query, query.atMs);
        if (!answer.ok) return answer;
        return ok({
          ...answer.value,
          realms: query.omitRealms ? [] : views,
          currentRealms: currentRealmsOf(views),
        });
      }
      realmChanges.note(views);
      const since = knownRevision(query.changedSince);
      if (since !== undefined) return ok(changesSince(query, since));
      const token = parseRowPageToken(query.sort, query.changedSince === "" ? query.pageToken : "");
      return token.ok ? ok(fullAnswer(query, token.value)) : token;
    },
    async objects(query) {
      const sort: StatusSort = { by: "name", reverse: false };
      const token = parseRowPageToken(sort, query.pageToken);
      if (!token.ok) return token;
      const { kinds, selector, realm, pageSize } = query;
      const { start, ...walk } = walkOf(sort, token.value);
      const page = rowPage(() => liveRows({ ...anyRow, kinds, selector, realm }), { ...walk, sort, pageSize });
      const nextPageToken = rowPageToken(sort, page.next, start);
      return ok({ rows: page.rows, nextPageToken, currentRealms: currentRealmsOf(realms()) });
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

type KnownRevision = { readonly change: number; readonly realms: RealmsRevision };

const noRows: RowPage = { rows: [], next: undefined };

const currentRealmsOf = (views: readonly RealmView[]): CurrentRealms =>
  views.length === 0
    ? undefined
    : new Set(views.flatMap(({ name, freshness }) => (freshness === "current" ? [name] : [])));

/** Adds the realm's labels to each row, unless the object has its own, so that readers and selectors see both. */
function realmLabelMerger(realmLabels: MemoryReadModelOptions["realmLabels"]): (change: RowChange) => RowChange {
  if (realmLabels === undefined) return (change) => change;
  return (change) => {
    if (change.kind === "drop") return change;
    const { row } = change;
    const below = realmLabels(row.realm);
    if (Object.keys(below).length === 0) return change;
    return { ...change, row: { ...row, about: { ...row.about, labels: { ...below, ...row.about.labels } } } };
  };
}
