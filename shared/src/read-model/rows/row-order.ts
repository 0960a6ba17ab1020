import { never } from "../../model/never.ts";
import { type ObjectKey, objectKinds } from "../../model/object-key.ts";
import { sizeOfImpact } from "../../model/row.ts";
import { isProblem, severityOf } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import { compareTexts } from "../../text/compare-texts.ts";
import type { StatusSort } from "../read-model.ts";

/**
 * Position of a row in a sort order: by `value`, then `age`, then by the unique `sortKey`, so the order is total and
 * stable.
 */
export type SortPosition = { readonly value: number; readonly age: number; readonly sortKey: string };

/** Row with its sort key by name, and its topmost cause. */
export type PlacedRow = {
  readonly row: Row | undefined;
  readonly sortKey: string;
  readonly cause?: PlacedRow | undefined;
};

/** Item with its position. The read models compute it for each query. */
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

/** Position of a row in the ascending order. */
export function sortPosition(row: Row, { sortKey, cause }: PlacedRow, by: StatusSort["by"]): SortPosition {
  switch (by) {
    case "severity":
      return severityPosition(row, sortKey, cause);
    case "name":
      return { value: 0, age: 0, sortKey };
    case "lastChange":
      return { value: row.lastChangeAtMs ?? beforeEveryTime, age: 0, sortKey };
    case "lastCheck":
      return { value: row.lastCheckAtMs ?? beforeEveryTime, age: 0, sortKey };
    default:
      return never(by);
  }
}

/** True when two versions of a row have different places in some order other than by name and by last check. */
export const haveDifferentPlaces = (a: Row, b: Row): boolean =>
  a.status !== b.status ||
  a.handled !== b.handled ||
  a.flapping !== b.flapping ||
  a.stateType !== b.stateType ||
  a.lastChangeAtMs !== b.lastChangeAtMs ||
  a.impact !== b.impact ||
  a.cause !== b.cause;

/** Negative when `a` comes before `b`. */
const comparePositions = (a: SortPosition, b: SortPosition): number =>
  a.value - b.value || a.age - b.age || compareTexts(a.sortKey, b.sortKey);

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
 * [RM32] Position by severity. The consequences of a handled cause have its rank and age, and a key that begins with its
 * own, so that they come directly after it, in the order of their own ranks.
 */
function severityPosition(row: Row, sortKey: string, cause: PlacedRow | undefined): SortPosition {
  if (cause?.row === undefined || !cause.row.handled) return { value: severityRank(row), age: ageRank(row), sortKey };
  const own = `${digitsOf(severityRank(row))}${digitsOf(ageRank(row))}`;
  const key = `${cause.sortKey}${consequenceMark}${own}${sortKey}`;
  return { value: severityRank(cause.row), age: ageRank(cause.row), sortKey: key };
}

/** Text that no sort key of an object has after that of another one. */
const consequenceMark = "\0\0";
const digitsOf = (rank: number): string => String(rank).padStart(15, "0");

/**
 * [RM7] Rank by severity, from the most to the least significant digit: problems, unhandled, not flapping, hard, hosts and
 * processes, greatest impact, worst status.
 */
function severityRank(row: Row): number {
  const { flapping, stateType, about, status, impact } = row;
  const problem = isProblem(status);
  const handling = problem ? (row.handled ? 1 : 0) : 2;
  const milder = (flapping ? 4 : 0) + (stateType === "soft" ? 2 : 0) + (about.key.kind === "service" ? 1 : 0);
  const smallness = impactRange - 1 - Math.min(sizeOfImpact(impact), impactRange - 1);
  return ((8 * handling + milder) * impactRange + smallness) * severityRanks + severityOf.critical - severityOf[status];
}

/** Number of severities. */
const severityRanks = 6;
/** Number of impacts that the order tells apart. */
const impactRange = 1e7;

/** Rank by age, youngest first, ms. */
const ageRank = ({ lastChangeAtMs = 0 }: Row): number =>
  ageRange - 1 - Math.min(Math.max(lastChangeAtMs, 0), ageRange - 1);

/** Range of times, ms: up to the year 5138. */
const ageRange = 1e14;

/** Sort value of rows without the time. */
const beforeEveryTime = Number.MIN_SAFE_INTEGER;

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
