import type { ListStatusResponse, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { ListOrder } from "./list-request.ts";
import { idOfWireRef } from "./object-key.ts";
import { totalOf } from "./status-counts.ts";
import { type StatusItem, statusItemsOf } from "./status-item.ts";

/** Number of rows of a page. */
export const pageRows = 200;

/** Loaded pages of one list. The order is the server's at the time when the pages were loaded. */
export type ListPages = {
  /** Pages by number; each has the rows from `number * pageRows`. */
  readonly pages: ReadonlyMap<number, readonly StatusItem[]>;
  /** Number of rows that match now. */
  readonly total: number;
  /** Number of rows of the list as it was loaded, in whose order the pages are. */
  readonly length: number;
  readonly summary: StatusSummary | undefined;
  /** Value of `changedSince` for the next poll. */
  readonly revision: string;
  /** Time at which the newest response arrived, Unix ms of this browser. */
  readonly atMs: number;
  /** Ids of loaded rows that no longer match. */
  readonly removed: ReadonlySet<string>;
  /** True when the order or the set of rows has changed since the pages were loaded. */
  readonly outdated: boolean;
};

/** Row at an index of the list; undefined while its page is not loaded. */
export const itemAt = ({ pages }: ListPages, index: number): StatusItem | undefined =>
  pages.get(Math.floor(index / pageRows))?.[index % pageRows];

/** All loaded rows, in order. */
export const loadedItems = ({ pages }: ListPages): readonly StatusItem[] =>
  [...pages].sort(([a], [b]) => a - b).flatMap(([, items]) => items);

/** Pages of a list after the response to its first request, which had page `number`. */
export function firstPages(number: number, response: ListStatusResponse, atMs: number): ListPages {
  const { summary, revision } = response;
  const total = totalOf(summary);
  return {
    pages: new Map([[number, statusItemsOf(response.rows)]]),
    ...{ total, length: total, summary, revision, atMs },
    removed: new Set(),
    outdated: false,
  };
}

/** Adds a page. Rows that another page has too show that the order has changed in between. */
export function withPage(before: ListPages, number: number, response: ListStatusResponse): ListPages {
  const items = statusItemsOf(response.rows);
  const others = new Set(
    [...before.pages].flatMap(([other, page]) => (other === number ? [] : page.map(({ id }) => id))),
  );
  const pages = new Map(before.pages).set(number, items);
  return { ...before, pages, outdated: before.outdated || items.some(({ id }) => others.has(id)) };
}

/** Keeps the pages that `isKept` accepts. */
export const withoutPages = (before: ListPages, isKept: (number: number) => boolean): ListPages => ({
  ...before,
  pages: new Map([...before.pages].filter(([number]) => isKept(number))),
});

/**
 * Applies the response to `changedSince`. Loaded rows are replaced where they are and the order is kept, so that no row
 * moves; `outdated` says that a new load would give another list. A row that moves between pages that are not loaded
 * shifts those after it without notice.
 */
export function withChanges(
  before: ListPages,
  response: ListStatusResponse,
  { order, atMs }: { readonly order: ListOrder; readonly atMs: number },
): ListPages {
  const { summary, revision } = response;
  const total = totalOf(summary);
  const changed = new Map(statusItemsOf(response.rows).map((item) => [item.id, item]));
  const gone = removedIds(response);
  const removed = new Set([...before.removed].filter((id) => !changed.has(id)));
  let outdated = before.outdated || total !== before.total;
  const pages = new Map(before.pages);
  for (const [number, items] of before.pages) {
    let after: StatusItem[] | undefined;
    for (const [at, item] of items.entries()) {
      const next = changed.get(item.id);
      if (gone.has(item.id)) removed.add(item.id);
      if (next === undefined) continue;
      outdated ||= order.isMoved(item, next);
      after ??= [...items];
      after[at] = next;
    }
    if (after !== undefined) pages.set(number, after);
  }
  outdated ||= removed.size > 0 || entersPage(before, changed.values(), order);
  return { ...before, pages, total, summary, revision, atMs, removed, outdated };
}

const removedIds = ({ removed }: ListStatusResponse): ReadonlySet<string> =>
  new Set(removed.flatMap(({ realm, object }) => idOfWireRef(realm, object) ?? []));

/** True when a row that is not loaded now has its place among the rows of a loaded page. */
function entersPage({ pages }: ListPages, changed: Iterable<StatusItem>, { compare }: ListOrder): boolean {
  const loaded = new Set([...pages.values()].flatMap((items) => items.map(({ id }) => id)));
  for (const item of changed) {
    if (loaded.has(item.id)) continue;
    for (const [number, items] of pages) {
      const [first, last] = [items[0], items.at(-1)];
      if (first === undefined || last === undefined) continue;
      if (compare(item, last) < 0 && (number === 0 || compare(item, first) > 0)) return true;
    }
  }
  return false;
}
