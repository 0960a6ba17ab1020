import { type ObjectKey, objectKinds } from "../../model/object-key.ts";
import type { Row } from "../../model/row.ts";
import { isProblem, severityOf } from "../../model/status.ts";
import type { StatusSort } from "../read-model.ts";

/** A row's place in an order: by `value`, then by `text`. `text` is unique, so the order is total and stable. */
export type SortPosition = { readonly value: number; readonly sortKey: string };

/** Something that has a place; the read models keep `text` and compute `value` when asked. */
export type Positioned<T> = SortPosition & { readonly item: T };

/**
 * The name order: by host or own name without case, a host before its services, then by realm. Begins
 * with what people read; where lower case loses something, it ends with what makes it unique. Compares by
 * UTF-16 units.
 */
export function nameSortKey(realm: string, key: ObjectKey): string {
  const first = key.kind === "service" ? key.host : key.name;
  const second = key.kind === "service" ? key.name : "";
  const kind = objectKinds.indexOf(key.kind);
  const text = `${first}\0${kind}\0${second}\0${realm}`;
  const lower = text.toLowerCase();
  return lower === text ? text : `${lower}\0${text}`;
}

/** What the rows are ordered by before their names; the smaller comes first. */
export function sortValue(row: Row, by: StatusSort["by"]): number {
  switch (by) {
    case "severity":
      return severityRank(row);
    case "name":
      return 0;
    case "lastChange":
      return row.lastChangeAtMs ?? beforeEveryTime;
    case "lastCheck":
      return row.lastCheckAtMs ?? beforeEveryTime;
  }
}

/** Below 0 where `a` comes before `b`. */
const comparePositions = (a: SortPosition, b: SortPosition): number => a.value - b.value || compareTexts(a.sortKey, b.sortKey);

/** The order that a sort asks for; reversed, it is the exact opposite. */
export const sortComparator = ({ reverse }: StatusSort): ((a: SortPosition, b: SortPosition) => number) =>
  reverse ? (a, b) => comparePositions(b, a) : comparePositions;

/**
 * The first `count` items in `order`, sorted. Keeps a heap of `count`, so that a page of a hundred out
 * of a hundred thousand is one pass and not a sort.
 */
export function firstInOrder<T>(
  items: Iterable<Positioned<T>>,
  count: number,
  order: (a: SortPosition, b: SortPosition) => number,
): Positioned<T>[] {
  const heap: Positioned<T>[] = [];
  for (const item of items) {
    if (heap.length < count) siftUp(heap, item, order);
    else if (count > 0 && order(item, heap[0] as Positioned<T>) < 0) siftDown(heap, item, order);
  }
  return heap.sort(order);
}

/** Unhandled problems, then handled ones, each worst first, then what was never checked, then what is well. */
function severityRank(row: Row): number {
  const mildness = severityOf.critical - severityOf[row.status];
  if (!isProblem(row.status)) return 100 + mildness;
  return row.handled ? 50 + mildness : mildness;
}

/** Before every instant. */
const beforeEveryTime = Number.MIN_SAFE_INTEGER;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Order = (a: SortPosition, b: SortPosition) => number;

/** Adds to a heap whose root comes last in `order`. */
function siftUp<T>(heap: Positioned<T>[], item: Positioned<T>, order: Order): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as Positioned<T>;
    if (order(above, item) >= 0) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

/** Replaces the root. */
function siftDown<T>(heap: Positioned<T>[], item: Positioned<T>, order: Order): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && order(heap[child + 1] as Positioned<T>, heap[child] as Positioned<T>) > 0) child += 1;
    if (order(heap[child] as Positioned<T>, item) <= 0) break;
    heap[at] = heap[child] as Positioned<T>;
    at = child;
  }
  heap[at] = item;
}
