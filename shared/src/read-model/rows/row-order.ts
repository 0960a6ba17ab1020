import { never } from "../../model/never.ts";
import { type ObjectKey, objectKinds } from "../../model/object-key.ts";
import { isProblem, severityOf } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import type { StatusSort } from "../read-model.ts";

/** Position of a row in a sort order: by `value`, then by the unique `sortKey`, so the order is total and stable. */
export type SortPosition = { readonly value: number; readonly sortKey: string };

/** Item with its position. The read models store `sortKey` and compute `value` for each query. */
export type Positioned<T> = SortPosition & { readonly item: T };

/**
 * Sort key by name: host or own name without case, a host before its services, then realm. If lower case loses
 * information, the original text is appended to keep the key unique. Keys are compared by UTF-16 units.
 */
export function nameSortKey(realm: string, key: ObjectKey): string {
  const first = key.kind === "service" ? key.host : key.name;
  const second = key.kind === "service" ? key.name : "";
  const kind = objectKinds.indexOf(key.kind);
  const text = `${first}\0${kind}\0${second}\0${realm}`;
  const lower = text.toLowerCase();
  return lower === text ? text : `${lower}\0${text}`;
}

/** Value by which rows are ordered before their names, ascending. */
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
    default:
      return never(by);
  }
}

/** True when two versions of a row have different places in some order other than by name and by last check. */
export const haveDifferentPlaces = (a: Row, b: Row): boolean =>
  severityRank(a) !== severityRank(b) || a.lastChangeAtMs !== b.lastChangeAtMs;

/** Negative when `a` comes before `b`. */
const comparePositions = (a: SortPosition, b: SortPosition): number =>
  a.value - b.value || compareTexts(a.sortKey, b.sortKey);

/** Comparator of a sort order; `reverse` gives the exact opposite. */
export const sortComparator = ({ reverse }: StatusSort): ((a: SortPosition, b: SortPosition) => number) =>
  reverse ? (a, b) => comparePositions(b, a) : comparePositions;

/**
 * Returns the first `count` items in `order`, sorted; with an infinite `count` all. Uses a heap of `count` items, so a
 * page of 100 out of 100 000 costs one pass instead of a full sort.
 */
export function firstInOrder<T>(
  items: Iterable<Positioned<T>>,
  count: number,
  order: (a: SortPosition, b: SortPosition) => number,
): Positioned<T>[] {
  if (count === Number.POSITIVE_INFINITY) return [...items].sort(order);
  const heap: Positioned<T>[] = [];
  for (const item of items) {
    if (heap.length < count) siftUp(heap, item, order);
    else if (count > 0 && order(item, heap[0] as Positioned<T>) < 0) siftDown(heap, item, order);
  }
  return heap.sort(order);
}

/**
 * [RM7] Rank by severity: unhandled problems, handled problems, each worst and then youngest first, then pending, then
 * OK. Severity and age share one number, which stays a safe integer.
 */
function severityRank(row: Row): number {
  const mildness = severityOf.critical - severityOf[row.status];
  if (!isProblem(row.status)) return (2 * severityRanks + mildness) * ageRange;
  const age = ageRange - 1 - Math.min(Math.max(row.lastChangeAtMs ?? 0, 0), ageRange - 1);
  return ((row.handled ? severityRanks : 0) + mildness) * ageRange + age;
}

/** Number of severities. */
const severityRanks = 6;
/** Range of times within one severity, ms: up to the year 5138. */
const ageRange = 1e14;

/** Sort value of rows without the time. */
const beforeEveryTime = Number.MIN_SAFE_INTEGER;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Order = (a: SortPosition, b: SortPosition) => number;

/** Adds an item to a heap whose root is the last one in `order`. */
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

/** Replaces the root of the heap. */
function siftDown<T>(heap: Positioned<T>[], item: Positioned<T>, order: Order): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && order(heap[child + 1] as Positioned<T>, heap[child] as Positioned<T>) > 0)
      child += 1;
    if (order(heap[child] as Positioned<T>, item) <= 0) break;
    heap[at] = heap[child] as Positioned<T>;
    at = child;
  }
  heap[at] = item;
}
