import type { Row } from "../../model/row.ts";
import { showSelector } from "../../text/selector.ts";
import type { RowStore } from "./row-store.ts";
import { isLive, type ObjectEntry } from "./object-entry.ts";
import type { RowFilter, StatusSummary } from "../read-model.ts";
import { anyRow } from "./row-filter.ts";
import { emptyRowCounts, summaryOfCounts, type RowCounts, countRow } from "./row-counts.ts";

/** What a filter matched when it was last asked for, and the counts of it. */
type CachedSummary = { readonly rows: Map<ObjectEntry, Row>; readonly counts: RowCounts; change: number };

export type SummaryCache = {
  /** The summary of all rows that `matches` lets through; `filter` names the view, so both have to agree. */
  summary(filter: RowFilter, matches: (row: Row) => boolean): StatusSummary;
};

/**
 * Summaries of filters that look at names and labels, brought up to date by what changed since they were
 * last asked for. A dashboard that polls a selector costs one pass at its first poll and its changes after.
 *
 * @param maxFilters how many filters are remembered; the one that was not asked for the longest goes first
 */
export function summaryCache(store: RowStore, maxFilters: number): SummaryCache {
  /** In the order of use, oldest first. */
  const cached = new Map<string, CachedSummary>();

  function cachedSummary(name: string): CachedSummary {
    const known = cached.get(name);
    cached.delete(name);
    const isUsable = known !== undefined && known.change >= store.forgottenChange;
    const view = isUsable ? known : { rows: new Map<ObjectEntry, Row>(), tally: emptyRowCounts(), change: 0 };
    cached.set(name, view);
    const [leastUsed] = cached.keys();
    if (cached.size > maxFilters && leastUsed !== undefined) cached.delete(leastUsed);
    return view;
  }

  return {
    summary(filter, matches) {
      const view = cachedSummary(filterCacheKey(filter));
      for (const entry of store.changes.since(view.change)) recount(view, entry, matches);
      view.change = store.changes.newestChange;
      return summaryOfCounts([view.counts], anyRow);
    },
  };
}

function recount({ rows, counts }: CachedSummary, entry: ObjectEntry, matches: (row: Row) => boolean): void {
  const counted = rows.get(entry);
  if (counted !== undefined) countRow(counts, counted, -1);
  if (isLive(entry) && matches(entry.row)) {
    countRow(counts, entry.row, 1);
    rows.set(entry, entry.row);
  } else if (counted !== undefined) rows.delete(entry);
}

/** Filters that ask for the same have the same name. */
export const filterCacheKey = ({
  key,
  selector,
  realm,
  kinds,
  statuses,
  problemsOnly,
  unhandledOnly,
  search,
}: RowFilter): string =>
  JSON.stringify([
    key,
    selector && showSelector(selector),
    realm,
    kinds,
    statuses,
    problemsOnly,
    unhandledOnly,
    search,
  ]);
