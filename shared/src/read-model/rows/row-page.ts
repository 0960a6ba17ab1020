import type { Row } from "../../model/row.ts";
import type { LiveEntry } from "./object-entry.ts";
import { placeToken } from "../page-token.ts";
import type { StatusSort } from "../read-model.ts";
import { firstPlaces, type Place, type Placed, placeOrder, placeValue } from "./row-order.ts";

/** A row on a list, with the text that orders it. */
export type Listed = Pick<LiveEntry, "row" | "text">;

export type PageOrder = { readonly sort: StatusSort; readonly pageSize: number; readonly after: Place | undefined };

export type Page = { readonly rows: readonly Row[]; readonly nextPageToken: string };

/** The rows of a page in the order that is asked for, out of rows in any order. */
export function pageOf(entries: Iterable<Listed>, { sort, pageSize, after }: PageOrder): Page {
  const order = placeOrder(sort);
  const placed = placedAfter(entries, { sort, pageSize, after });
  if (pageSize === 0) return { rows: [...placed].sort(order).map(({ item }) => item.row), nextPageToken: "" };
  const first = firstPlaces(placed, pageSize + 1, order);
  const page = first.slice(0, pageSize);
  const last = page.at(-1);
  const hasMore = first.length > pageSize && last !== undefined;
  return { rows: page.map(({ item }) => item.row), nextPageToken: hasMore ? placeToken(sort, last) : "" };
}

function* placedAfter(entries: Iterable<Listed>, { sort, after }: PageOrder): Iterable<Placed<Listed>> {
  const order = placeOrder(sort);
  for (const item of entries) {
    const place = { value: placeValue(item.row, sort.by), text: item.text, item };
    if (after === undefined || order(place, after) > 0) yield place;
  }
}
