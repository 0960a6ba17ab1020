import type { Row } from "../../model/row.ts";
import { rowPageToken } from "../page-token.ts";
import type { StatusSort } from "../read-model.ts";
import type { LiveEntry } from "./object-entry.ts";
import { firstInOrder, type Positioned, type SortPosition, sortComparator, sortValue } from "./row-order.ts";

/** Row with its sort key by name. */
export type ListedRow = Pick<LiveEntry, "row" | "sortKey">;

export type RowPageOptions = {
  readonly sort: StatusSort;
  readonly pageSize: number;
  readonly after: SortPosition | undefined;
  /** Number of rows to skip after `after`. */
  readonly offset?: number;
};

export type RowPage = { readonly rows: readonly Row[]; readonly nextPageToken: string };

/** Selects and sorts the rows of one page out of rows in any order. */
export function rowPage(entries: Iterable<ListedRow>, { sort, pageSize, after, offset = 0 }: RowPageOptions): RowPage {
  const order = sortComparator(sort);
  const positioned = positionedAfter(entries, { sort, pageSize, after });
  if (pageSize === 0)
    return {
      rows: [...positioned]
        .sort(order)
        .slice(offset)
        .map(({ item }) => item.row),
      nextPageToken: "",
    };
  const first = firstInOrder(positioned, offset + pageSize + 1, order);
  const page = first.slice(offset, offset + pageSize);
  const last = page.at(-1);
  const hasMore = first.length > offset + pageSize && last !== undefined;
  return { rows: page.map(({ item }) => item.row), nextPageToken: hasMore ? rowPageToken(sort, last) : "" };
}

function* positionedAfter(
  entries: Iterable<ListedRow>,
  { sort, after }: RowPageOptions,
): Iterable<Positioned<ListedRow>> {
  const order = sortComparator(sort);
  for (const item of entries) {
    const positioned = { value: sortValue(item.row, sort.by), sortKey: item.sortKey, item };
    if (after === undefined || order(positioned, after) > 0) yield positioned;
  }
}
