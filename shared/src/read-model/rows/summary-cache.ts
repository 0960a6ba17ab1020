import type { Row } from "../../row/row.ts";
import { formatSelector } from "../../text/selector/selector.ts";
import type { RowFilter, RowStateTotals } from "../read-model.ts";
import { isLive, type LiveEntry, type ObjectEntry } from "./object-entry.ts";
import { countRow, emptyRowCounts, type RowCounts, summaryOfCounts } from "./row-counts.ts";
import { anyRow } from "./row-filter.ts";
import type { RowStore } from "./row-store.ts";

/** Rows that a filter matched at its last query, and their counts. `change` is the change number of that query. */
type CachedSummary = { readonly rows: Map<ObjectEntry, Row>; readonly counts: RowCounts; change: number };

/** Condition of a filter, for all rows and for one. */
type FilterCondition = { liveRows(): Iterable<LiveEntry>; matches(row: Row): boolean };

/** Number of filters without a cached summary that are remembered. */
const maxSeen = 100;

/**
 * Caches summaries of filters by name and label, and updates them by the changes since their last query. A dashboard
 * that polls a selector costs one pass at its first poll, and then only its changes.
 *
 * @param maxFilters number of cached filters; the least recently used one is evicted first
 */
export function summaryCache(store: RowStore, maxFilters: number) {
  /** By filter, least recently used first. */
  const cached = new Map<string, CachedSummary>();
  let seen: readonly string[] = [];

  function cachedSummary(name: string, condition: FilterCondition): CachedSummary {
    const known = cached.get(name);
    cached.delete(name);
    const isUsable = known !== undefined && known.change >= store.forgottenChange;
    const summary = isUsable ? known : countedRows(condition.liveRows(), store.changes.newestChange);
    cached.set(name, summary);
    const [leastUsed] = cached.keys();
    if (cached.size > maxFilters && leastUsed !== undefined) cached.delete(leastUsed);
    return summary;
  }

  return {
    /** Summary of all rows that the filter matches; cached from then on. */
    summary(filter: RowFilter, condition: FilterCondition): RowStateTotals {
      const summary = cachedSummary(filterCacheKey(filter), condition);
      for (const entry of store.changes.since(summary.change)) recount(summary, entry, condition.matches);
      summary.change = store.changes.newestChange;
      return summaryOfCounts([summary.counts], anyRow);
    },
    /** Rows of a cached summary; undefined unless it has all changes. */
    matchesOf(filter: RowFilter): Iterable<LiveEntry> | undefined {
      const known = cached.get(filterCacheKey(filter));
      return known?.change === store.changes.newestChange ? liveEntries(known.rows.keys()) : undefined;
    },
    /** True when the filter was asked about before: its summary is cached, or is worth to be. */
    isRepeated(filter: RowFilter): boolean {
      const name = filterCacheKey(filter);
      if (cached.has(name) || seen.includes(name)) return true;
      seen = [name, ...seen.slice(0, maxSeen - 1)];
      return false;
    },
  };
}

function* liveEntries(entries: Iterable<ObjectEntry>): Iterable<LiveEntry> {
  for (const entry of entries) if (isLive(entry)) yield entry;
}

/** In the order of the rows: pages of rows that come in about their own order are found fastest. */
function countedRows(entries: Iterable<LiveEntry>, change: number): CachedSummary {
  const summary = { rows: new Map<ObjectEntry, Row>(), counts: emptyRowCounts(), change };
  for (const entry of entries) {
    countRow(summary.counts, entry.row, 1);
    summary.rows.set(entry, entry.row);
  }
  return summary;
}

function recount({ rows, counts }: CachedSummary, entry: ObjectEntry, matches: (row: Row) => boolean): void {
  const counted = rows.get(entry);
  if (counted !== undefined) countRow(counts, counted, -1);
  if (isLive(entry) && matches(entry.row)) {
    countRow(counts, entry.row, 1);
    rows.set(entry, entry.row);
  } else if (counted !== undefined) rows.delete(entry);
}

const filterFields = Object.keys(anyRow) as (keyof RowFilter)[];

/** Key that is equal for equal filters. */
export const filterCacheKey = (filter: RowFilter): string =>
  JSON.stringify(
    filterFields.map((field) =>
      field === "selector" ? filter.selector && formatSelector(filter.selector) : filter[field],
    ),
  );
