import type { Row } from "../../row/row.ts";
import type { StatusSort } from "../read-model.ts";
import {
  firstInOrder,
  type PlacedRow,
  type Positioned,
  type SortPosition,
  sortComparator,
  sortPosition,
} from "./row-order.ts";

/** Row with its sort key by name, and its topmost cause. */
export type ListedRow = PlacedRow & { readonly row: Row };

/**
 * Place in a walk over pages, after which the next page begins. Rows come in the sort order, and after these the rows
 * that have moved in it since the walk began, by name: a name never changes, so that none is passed over.
 */
export type PagePlace =
  | { readonly kind: "ordered"; readonly after: SortPosition }
  /** `after`: sort key by name. */
  | { readonly kind: "moved"; readonly after: string };

export type RowPageOptions<T> = {
  readonly sort: StatusSort;
  /** Maximum number of rows; 0 means all. */
  readonly pageSize: number;
  /** Undefined for the first page. */
  readonly place: PagePlace | undefined;
  /** Number of rows to skip after `place`. Default 0. */
  readonly offset?: number;
  /** True for a row that has moved in the sort order since the walk began. Default: none has. */
  readonly isMoved?: (row: T) => boolean;
};

/** `next`: place where the page ends; undefined for the last page. */
export type RowPage = { readonly rows: readonly Row[]; readonly next: PagePlace | undefined };

/**
 * [RM30] Selects and sorts the rows of one page.
 *
 * @param entries returns the rows in any order; called twice for the page that ends the sort order
 */
export function rowPage<T extends ListedRow>(entries: () => Iterable<T>, options: RowPageOptions<T>): RowPage {
  const { pageSize, place, isMoved = () => false } = options;
  const limit = pageSize === 0 ? Number.POSITIVE_INFINITY : pageSize;
  if (place?.kind === "moved") return movedPage(filtered(entries(), isMoved), place.after, limit);
  const page = orderedPage(
    filtered(entries(), (row) => !isMoved(row)),
    options,
    { after: place?.after, limit },
  );
  // None has moved before the first page.
  if (page.next !== undefined || place === undefined) return page;
  const rest = movedPage(filtered(entries(), isMoved), "", limit - page.rows.length);
  return { rows: [...page.rows, ...rest.rows], next: rest.next };
}

function orderedPage(
  entries: Iterable<ListedRow>,
  { sort, offset = 0 }: Pick<RowPageOptions<never>, "sort" | "offset">,
  { after, limit }: { readonly after: SortPosition | undefined; readonly limit: number },
): RowPage {
  const order = sortComparator(sort);
  function* positioned(): Iterable<Positioned<ListedRow>> {
    for (const item of entries) {
      const { value, age, sortKey } = sortPosition(item.row, item, sort.by);
      const one = { value, age, sortKey, item };
      if (after === undefined || order(one, after) > 0) yield one;
    }
  }
  const first = firstInOrder(positioned(), offset + limit + 1, order);
  const page = first.slice(offset, offset + limit);
  const last = page.at(-1);
  const hasMore = first.length > offset + limit && last !== undefined;
  const next = { kind: "ordered", after: last ?? firstPosition } as const;
  return { rows: rowsOf(page), next: hasMore ? next : undefined };
}

/** Rows by name, after the one with the sort key `after`. */
function movedPage(entries: Iterable<ListedRow>, after: string, limit: number): RowPage {
  function* positioned(): Iterable<Positioned<ListedRow>> {
    for (const item of entries) if (item.sortKey > after) yield { value: 0, age: 0, sortKey: item.sortKey, item };
  }
  const first = firstInOrder(positioned(), limit + 1, sortComparator({ by: "name", reverse: false }));
  const page = first.slice(0, limit);
  const next = { kind: "moved", after: page.at(-1)?.sortKey ?? after } as const;
  return { rows: rowsOf(page), next: first.length > limit ? next : undefined };
}

const firstPosition: SortPosition = { value: 0, age: 0, sortKey: "" };

function* filtered<T>(entries: Iterable<T>, isWanted: (entry: T) => boolean): Iterable<T> {
  for (const entry of entries) if (isWanted(entry)) yield entry;
}

const rowsOf = (page: readonly Positioned<ListedRow>[]): readonly Row[] => page.map(({ item }) => item.row);
