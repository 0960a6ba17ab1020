import type { RealmView } from "../../model/realm.ts";
import type { Row } from "../../row/row.ts";
import type { LabelCount, RealmTotals, RowFilter, RowStateTotals, StatusQuery, StatusSummary } from "../read-model.ts";
import { countLabels } from "./label-counts.ts";
import type { LiveEntry } from "./object-entry.ts";
import type { OverdueRows } from "./overdue-rows.ts";
import { realmsOf } from "./row-candidates.ts";
import { summaryOfCounts, summaryOfRows } from "./row-counts.ts";
import { dependsOnNames, matchesFilter, type RealmNaming } from "./row-filter.ts";
import type { RowStore } from "./row-store.ts";
import { summaryCache } from "./summary-cache.ts";

type RowSummariesOptions = {
  readonly store: RowStore;
  readonly naming: RealmNaming;
  readonly overdue: OverdueRows;
  /** Realms and their freshness; empty on an agent. */
  readonly realms: () => readonly RealmView[];
  readonly liveRows: (filter: RowFilter) => Iterable<LiveEntry>;
};

/** Number of filters whose summaries are cached; each costs about 50 B for each matching row. */
const maxCachedSummaries = 8;

/** Counts of the rows that queries match. */
export class RowSummaries {
  readonly #options: RowSummariesOptions;
  readonly #cache: ReturnType<typeof summaryCache>;

  constructor(options: RowSummariesOptions) {
    this.#options = options;
    this.#cache = summaryCache(options.store, maxCachedSummaries);
  }

  /** True when the counts of the query's filter are cached. */
  isRepeated(filter: RowFilter): boolean {
    return this.#cache.isRepeated(filter);
  }

  /** Matching rows; undefined unless they are cached and have all changes. */
  matchesOf(filter: RowFilter): Iterable<LiveEntry> | undefined {
    return this.#cache.matchesOf(filter);
  }

  /** Counts the matching rows. */
  totalsOf(filter: RowFilter): RowStateTotals {
    const { store, naming, liveRows } = this.#options;
    // The time differs with each query, so that counts of overdue rows cannot be cached.
    if (filter.overdueAtMs !== undefined) return summaryOfRows(rowsOf(liveRows(filter)));
    if (dependsOnNames(filter))
      return this.#cache.summary(filter, {
        liveRows: () => liveRows(filter),
        matches: (row) => matchesFilter(row, filter, naming),
      });
    const found = realmsOf(store, filter.realm, naming.ownRealm);
    return summaryOfCounts(
      found.map((realm) => realm.counts),
      filter,
    );
  }

  /** Adds the overdue and the last known rows to `totals`, the counts of the query's rows. */
  summaryOf(query: StatusQuery, totals: RowStateTotals): StatusSummary {
    const { store, naming, realms } = this.#options;
    const late = this.#overdueMatches(query);
    const views = realms();
    if (views.length === 0) return { ...totals, overdue: late.length };
    const isAsked = ({ name }: RealmView): boolean => query.realm === "" || query.realm === name;
    const stale = views.filter((view) => view.freshness !== "current" && isAsked(view));
    const staleNames = new Set(stale.map(({ name }) => name));
    const staleRows = new Set(stale.map(({ name }) => store.realms.get(name)));
    const staleLate = late.filter(({ realm }) => staleNames.has(realm));
    const isAllStale = realmsOf(store, query.realm, naming.ownRealm).every((realm) => staleRows.has(realm));
    return {
      ...totals,
      overdue: late.length,
      lastKnown: { ...(isAllStale ? totals : this.#lastKnownOf(query, stale)), overdue: staleLate.length },
    };
  }

  /** [RM24] Totals of each realm with matching rows; none unless the query asks for them. */
  realmTotalsOf(query: StatusQuery): readonly RealmTotals[] {
    if (!query.byRealm) return [];
    const { store, naming, liveRows } = this.#options;
    const late = Map.groupBy(this.#overdueMatches(query), ({ realm }) => realm);
    const byNames = dependsOnNames(query) ? Map.groupBy(liveRows(query), ({ realm }) => realm) : undefined;
    return [...store.realms]
      .filter(([realm]) => query.realm === "" || query.realm === (realm || naming.ownRealm))
      .map(([realm, { counts }]) => {
        const totals =
          byNames === undefined ? summaryOfCounts([counts], query) : summaryOfRows(rowsOf(byNames.get(realm) ?? []));
        return { realm, totals: { ...totals, overdue: late.get(realm)?.length ?? 0 } };
      })
      .filter(({ totals }) => totals.counts.length > 0);
  }

  /** [RM29] Most frequent labels of the matching rows; none unless the query asks for them. */
  labelCountsOf(query: StatusQuery): readonly LabelCount[] {
    if (!query.byLabel) return [];
    const { realms, liveRows } = this.#options;
    const stale = new Set(realms().flatMap(({ name, freshness }) => (freshness === "current" ? [] : [name])));
    return countLabels(liveRows(query), (realm) => stale.has(realm));
  }

  #overdueMatches(query: StatusQuery): readonly LiveEntry[] {
    const { overdue, naming } = this.#options;
    return [...overdue.at(query.nowMs)].filter(({ row }) => matchesFilter(row, query, naming));
  }

  /** [FD3] Totals over the matching rows of realms that are not current. */
  #lastKnownOf(filter: RowFilter, stale: readonly RealmView[]): RowStateTotals {
    const { store, liveRows } = this.#options;
    if (!dependsOnNames(filter))
      return summaryOfCounts(
        stale.flatMap(({ name }) => store.realms.get(name)?.counts ?? []),
        filter,
      );
    return summaryOfRows(stale.flatMap(({ name }) => [...rowsOf(liveRows({ ...filter, realm: name }))]));
  }
}

function* rowsOf(entries: Iterable<LiveEntry>): Iterable<Row> {
  for (const entry of entries) yield entry.row;
}
