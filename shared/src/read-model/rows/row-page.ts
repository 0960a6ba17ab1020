import type { Row } from "../../model/row.ts";
import type { LiveEntry } from "./object-entry.ts";
import { rowPageToken } from "../page-token.ts";
import type { StatusSort } from "../read-model.ts";
import { firstInOrder, type SortPosition, type Positioned, sortComparator, sortValue } from "./row-order.ts";

/** A row on a list, with the text that orders it. */
export type ListedRow = Pick<LiveEntry, "row" | "text">;

export type RowPageOptions = { readonly sort: StatusSort; readonly pageSize: number; readonly after: SortPosition | undefined };

export type RowPage = { readonly rows: readonly Row[]; readonly nextPageToken: string };

/** The rows of a page in the order that is asked for, out of rows in any order. */
export function rowPage(entries: Iterable<ListedRow>, { sort, pageSize, after }: RowPageOptions): RowPage {
  const order = sortComparator(sort);
  const placed = positionedAfter(entries, { sort, pageSize, after });
  if (pageSize === 0) return { rows: [...placed].sort(order).map(({ item }) => item.row), nextPageToken: "" };
  const first = firstInOrder(placed, pageSize + 1, order);
  const page = first.slice(0, pageSize);
  const last = page.at(-1);
  const hasMore = first.length > pageSize && last !== undefined;
  return { rows: page.map(({ item }) => item.row), nextPageToken: hasMore ? rowPageToken(sort, last) : "" };
}

function* positionedAfter(entries: Iterable<ListedRow>, { sort, after }: RowPageOptions): Iterable<Positioned<ListedRow>> {
  const order = sortComparator(sort);
  for (const item of entries) {
    const place = { value: sortValue(item.row, sort.by), text: item.sortKey, item };
    if (after === undefined || order(place, after) > 0) yield place;
  }
}
