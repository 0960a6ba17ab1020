import type { ObjectKey } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import type { Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import {
  formatModelRevision,
  parseModelRevision,
  parseRowPageToken,
  rowPageToken,
  type TokenPlace,
} from "./page-token.ts";
import type {
  CurrentRealms,
  ObjectsAnswer,
  ObjectsQuery,
  RowFilter,
  StatusAnswer,
  StatusQuery,
  StatusSort,
} from "./read-model.ts";
import { RealmChanges } from "./realms/realm-changes.ts";
import { knownRealmsRevision, type RealmsRevision, realmNews } from "./realms/realm-news.ts";
import { isLive, type LiveEntry, type ObjectEntry } from "./rows/object-entry.ts";
import { overdueRows } from "./rows/overdue-rows.ts";
import { type PageWalk, pageWalk } from "./rows/page-walk.ts";
import { matchingEntries } from "./rows/row-candidates.ts";
import { summaryOfRows } from "./rows/row-counts.ts";
import {
  anyRow,
  dependsOnNames,
  matchesFilter,
  matchesOnlyProblems,
  mayEverMatch,
  type RealmNaming,
} from "./rows/row-filter.ts";
import { type RowPage, type RowPageOptions, rowPage } from "./rows/row-page.ts";
import type { RowStore } from "./rows/row-store.ts";
import { RowSummaries } from "./rows/row-summaries.ts";

/** Answers to queries of the present, from the rows in memory. */
export class StatusAnswers {
  readonly #store: RowStore;
  readonly #naming: RealmNaming;
  readonly #generation: string;
  readonly #realmChanges = new RealmChanges();
  readonly #overdue: ReturnType<typeof overdueRows>;
  readonly #summaries: RowSummaries;

  constructor({ store, naming, generation }: { store: RowStore; naming: RealmNaming; generation: string }) {
    this.#store = store;
    this.#naming = naming;
    this.#generation = generation;
    this.#overdue = overdueRows(store);
    this.#summaries = new RowSummaries({
      store,
      naming,
      overdue: this.#overdue,
      realms: () => this.#realmChanges.views,
      liveRows: (filter) => this.#liveRows(filter),
    });
  }

  status(query: StatusQuery, views: readonly RealmView[]): Result<StatusAnswer, Refusal> {
    this.#realmChanges.note(views);
    const since = this.#knownRevision(query.changedSince);
    if (since !== undefined) return ok(this.#changesSince(query, since));
    const token = parseRowPageToken(query.sort, query.changedSince === "" ? query.pageToken : "");
    return token.ok ? ok(this.#fullAnswer(query, token.value)) : token;
  }

  objects(query: ObjectsQuery, views: readonly RealmView[]): Result<ObjectsAnswer, Refusal> {
    const sort: StatusSort = { by: "name", reverse: false };
    const token = parseRowPageToken(sort, query.pageToken);
    if (!token.ok) return token;
    const { kinds, selector, realm, pageSize } = query;
    const { start, ...walk } = this.#walkOf(sort, token.value);
    const filter = { ...anyRow, kinds, selector, realm };
    // A walk over the pages of a selector then evaluates it once for all of them.
    if (dependsOnNames(filter) && this.#summaries.isRepeated(filter)) this.#summaries.totalsOf(filter);
    const page = rowPage(() => this.#liveRows(filter), { ...walk, sort, pageSize });
    const nextPageToken = rowPageToken(sort, page.next, start);
    return ok({ rows: page.rows, nextPageToken, currentRealms: currentRealmsOf(views) });
  }

  #liveRows(filter: RowFilter): Iterable<LiveEntry> {
    const known = dependsOnNames(filter) ? this.#summaries.matchesOf(filter) : undefined;
    if (known !== undefined) return known;
    if (filter.overdueAtMs === undefined) return matchingEntries(this.#store, filter, this.#naming.ownRealm);
    return [...this.#overdue.at(filter.overdueAtMs)].filter(({ row }) => matchesFilter(row, filter, this.#naming));
  }

  /** By severity problems come first, so a page that problems fill does not need the other rows. */
  #filteredPage(filter: RowFilter, order: RowPageOptions<LiveEntry>): RowPage {
    const worstFirst = order.sort.by === "severity" && !order.sort.reverse && order.pageSize > 0;
    const problems = worstFirst ? rowPage(() => this.#liveRows({ ...filter, problemsOnly: true }), order) : undefined;
    return problems?.next?.kind === "ordered" ? problems : rowPage(() => this.#liveRows(filter), order);
  }

  #walkOf(sort: StatusSort, token: TokenPlace | undefined): PageWalk {
    return pageWalk(sort, token, { generation: this.#generation, change: this.#store.changes.newestChange });
  }

  #fullAnswer(query: StatusQuery, token: TokenPlace | undefined): StatusAnswer {
    const news = realmNews(this.#realmChanges, { since: undefined, omitRealms: query.omitRealms, rowsOf: () => 0 });
    const isPaged = query.changedSince === "";
    const { start, ...walk } = this.#walkOf(query.sort, token);
    const order = {
      ...walk,
      sort: query.sort,
      pageSize: isPaged ? query.pageSize : 0,
      offset: isPaged ? query.pageOffset : 0,
    };
    // The first query with a filter takes rows and summary from one pass; the summary of the next ones is cached.
    const matches =
      dependsOnNames(query) && !this.#summaries.isRepeated(query) ? [...this.#liveRows(query)] : undefined;
    // Counting first brings the cached matches up to date, from which the page is then taken.
    const totals =
      matches === undefined ? this.#summaries.totalsOf(query) : summaryOfRows(matches.map(({ row }) => row));
    const withRows = !query.summaryOnly && (isPaged || !query.changesOnly);
    const page = !withRows
      ? noRows
      : matches === undefined
        ? this.#filteredPage(query, order)
        : rowPage(() => matches, order);
    return {
      rows: page.rows,
      nextPageToken: rowPageToken(query.sort, page.next, start),
      summary: this.#summaries.summaryOf(query, totals),
      revision: this.#revisionOf(news.revision),
      removed: [],
      full: query.changedSince !== "",
      realms: news.realms,
      currentRealms: currentRealmsOf(this.#realmChanges.views),
      realmSummaries: this.#summaries.realmTotalsOf(query),
      labelCounts: this.#summaries.labelCountsOf(query),
    };
  }

  #changesSince(query: StatusQuery, { change, realms: since }: KnownRevision): StatusAnswer {
    const changed = new Set<LiveEntry>();
    const isAsked = (realm: string): boolean => query.realm === "" || query.realm === realm;
    const rowsOfRealm = (realm: string): number =>
      isAsked(realm) ? (this.#store.realms.get(realm)?.entries.size ?? 0) : 0;
    const news = realmNews(this.#realmChanges, { since, omitRealms: query.omitRealms, rowsOf: rowsOfRealm });
    for (const realm of query.summaryOnly ? [] : news.repeated.filter(isAsked))
      for (const entry of this.#liveRows({ ...query, realm })) changed.add(entry);
    const summary = this.#summaries.summaryOf(query, this.#summaries.totalsOf(query));
    const removed: { realm: string; key: ObjectKey }[] = [];
    for (const entry of query.summaryOnly ? [] : this.#changesFor(query, change)) {
      if (!mayEverMatch(entry.realm, entry.key, query, this.#naming)) continue;
      if (isLive(entry) && matchesFilter(entry.row, query, this.#naming)) changed.add(entry);
      else removed.push({ realm: entry.realm, key: entry.key });
    }
    return {
      rows: rowPage(() => changed, { sort: query.sort, pageSize: 0, place: undefined }).rows,
      summary,
      nextPageToken: "",
      revision: this.#revisionOf(news.revision),
      removed,
      full: false,
      realms: news.realms,
      currentRealms: currentRealmsOf(this.#realmChanges.views),
      realmSummaries: this.#summaries.realmTotalsOf(query),
      labelCounts: this.#summaries.labelCountsOf(query),
    };
  }

  /** [RM27] Most changes are results of objects without a problem, of which no client of a list of problems knows. */
  #changesFor(query: StatusQuery, change: number): Iterable<ObjectEntry> {
    const ofProblems = query.changesOnly && matchesOnlyProblems(query);
    return (ofProblems ? this.#store.problemChanges.since(change) : undefined) ?? this.#store.changes.since(change);
  }

  #revisionOf(realms: string): string {
    return formatModelRevision(this.#generation, { change: this.#store.changes.newestChange, realms });
  }

  /** Parses a revision from which on changes can be listed; undefined for every other text. */
  #knownRevision(text: string): KnownRevision | undefined {
    const revision = parseModelRevision(text, this.#generation);
    const known = revision && knownRealmsRevision(this.#realmChanges, revision.realms);
    if (revision === undefined || known === undefined) return undefined;
    const isKnown =
      revision.change >= this.#store.forgottenChange && revision.change <= this.#store.changes.newestChange;
    return isKnown ? { change: revision.change, realms: known } : undefined;
  }
}

type KnownRevision = { readonly change: number; readonly realms: RealmsRevision };

const noRows: RowPage = { rows: [], next: undefined };

/** Names of the realms whose rows are current; undefined where there are no realms. */
export const currentRealmsOf = (views: readonly RealmView[]): CurrentRealms =>
  views.length === 0
    ? undefined
    : new Set(views.flatMap(({ name, freshness }) => (freshness === "current" ? [name] : [])));
