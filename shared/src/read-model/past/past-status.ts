import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { filterCacheKey } from "../rows/summary-cache.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import { parseRowPageToken } from "../page-token.ts";
import { type ListedRow, rowPage } from "../rows/row-page.ts";
import { type PastRowsOptions, pastRowsOf } from "./past-rows.ts";
import type { RowFilter, StatusAnswer, StatusQuery } from "../read-model.ts";
import { summaryOfRows } from "../rows/row-counts.ts";

export type PastStatusOptions = PastRowsOptions & {
  /** Everything that the filter's rows may be, and what may cover those. */
  readonly entries: (filter: RowFilter) => Iterable<LiveEntry>;
};

/** Answers status queries about an instant that is gone. */
export type PastStatus = { status(query: StatusQuery, atMs: number): Promise<Result<StatusAnswer, Refusal>> };

type CachedRows = { readonly name: string; readonly rows: WeakRef<ListedRow[]> };

/** Questions about all objects that may be on their way; each may take seconds and some 100 MB. */
const maxQueuedQueries = 8;

/** One after the other, and no more than a few. */
function limitedQueue() {
  let waiting = 0;
  let lastResult: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> => {
    if (waiting >= maxQueuedQueries)
      return fail({ kind: "exhausted", what: "too many questions about the past wait: ask again in a moment" });
    waiting += 1;
    const mine = lastResult.then(work);
    lastResult = mine.catch(() => {});
    return mine.finally(() => {
      waiting -= 1;
    });
  };
}

export function openPastStatus({ entries, ...parts }: PastStatusOptions): PastStatus {
  /** What the last question found. A page that follows is taken from it, as long as nobody needs the memory. */
  let lastResult: CachedRows | undefined;
  const enqueue = limitedQueue();

  async function rowsOf(query: StatusQuery, atMs: number): Promise<Result<ListedRow[], Refusal>> {
    const name = `${atMs} ${filterCacheKey(query)}`;
    const known = query.pageToken !== "" && lastResult?.name === name ? lastResult.rows.deref() : undefined;
    if (known !== undefined) return ok(known);
    const look = () => pastRowsOf(entries(query), { filter: query, atMs }, parts);
    const found = await (query.key === undefined ? enqueue(look) : look());
    if (found.ok) lastResult = { name, rows: new WeakRef(found.value) };
    return found;
  }

  return {
    async status(query, atMs) {
      const after = parseRowPageToken(query.sort, query.pageToken);
      if (!after.ok) return after;
      const found = await rowsOf(query, atMs);
      if (!found.ok) return found;
      const summary = summaryOfRows(found.value.map(({ row }) => row));
      const { sort, pageSize } = query;
      const page = rowPage(found.value, { sort, pageSize, after: after.value });
      return ok({ ...page, summary, revision: "", removed: [], full: false });
    },
  };
}
