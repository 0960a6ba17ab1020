import type { Row } from "../../model/row.ts";
import { showSelector } from "../../text/selector.ts";
import type { EntryStore } from "./row-store.ts";
import { isLive, type ObjectEntry } from "./object-entry.ts";
import type { RowFilter, StatusSummary } from "../read-model.ts";
import { anyRow } from "./row-filter.ts";
import { emptyTally, summaryOfTallies, type Tally, tallyRow } from "./row-counts.ts";

/** What a filter matched when it was last asked for, and the counts of it. */
type CountedView = { readonly rows: Map<ObjectEntry, Row>; readonly tally: Tally; change: number };

export type CountedViews = {
  /** The summary of all rows that `matches` lets through; `filter` names the view, so both have to agree. */
  summary(filter: RowFilter, matches: (row: Row) => boolean): StatusSummary;
};

/**
 * Summaries of filters that look at names and labels, brought up to date by what changed since they were
 * last asked for. A dashboard that polls a selector costs one pass at its first poll and its changes after.
 *
 * @param maxViews how many filters are remembered; the one that was not asked for the longest goes first
 */
export function countedViews(store: EntryStore, maxViews: number): CountedViews {
  /** In the order of use, oldest first. */
  const views = new Map<string, CountedView>();

  function viewOf(name: string): CountedView {
    const known = views.get(name);
    views.delete(name);
    const isUsable = known !== undefined && known.change >= store.forgottenChange;
    const view = isUsable ? known : { rows: new Map<ObjectEntry, Row>(), tally: emptyTally(), change: 0 };
    views.set(name, view);
    const [leastUsed] = views.keys();
    if (views.size > maxViews && leastUsed !== undefined) views.delete(leastUsed);
    return view;
  }

  return {
    summary(filter, matches) {
      const view = viewOf(nameOfFilter(filter));
      for (const entry of store.chain.since(view.change)) recount(view, entry, matches);
      view.change = store.chain.newestChange;
      return summaryOfTallies([view.tally], anyRow);
    },
  };
}

function recount({ rows, tally }: CountedView, entry: ObjectEntry, matches: (row: Row) => boolean): void {
  const counted = rows.get(entry);
  if (counted !== undefined) tallyRow(tally, counted, -1);
  if (isLive(entry) && matches(entry.row)) {
    tallyRow(tally, entry.row, 1);
    rows.set(entry, entry.row);
  } else if (counted !== undefined) rows.delete(entry);
}

/** Filters that ask for the same have the same name. */
export const nameOfFilter = ({
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
