import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { parseRowPageToken } from "../page-token.ts";
import type { RowFilter, StatusAnswer, StatusQuery } from "../read-model.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import { summaryOfRows } from "../rows/row-counts.ts";
import { type ListedRow, rowPage } from "../rows/row-page.ts";
import { filterCacheKey } from "../rows/summary-cache.ts";
import { type PastRowsOptions, pastRowsOf } from "./past-rows.ts";

export type PastStatusOptions = PastRowsOptions & {
  /** Entries that may pass the filter, with their hosts and parents. */
  readonly entries: (filter: RowFilter) => Iterable<LiveEntry>;
};

/** Answers status queries for a past time. */
export type PastStatus = { status(query: StatusQuery, atMs: number): Promise<Result<StatusAnswer, Refusal>> };

type CachedRows = { readonly cacheKey: string; readonly rows: WeakRef<ListedRow[]> };

/** Maximum number of queued queries over all objects; each may take seconds and about 100 MB. */
const maxQueuedQueries = 8;

/** Queue that runs one query at a time and refuses queries when it is full. */
function limitedQueue() {
  let queued = 0;
  let previous: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> => {
    if (queued >= maxQueuedQueries)
      return fail({ kind: "exhausted", what: "too many queries about the past are queued: try again in a moment" });
    queued += 1;
    const result = previous.then(work);
    previous = result.catch(() => {});
    return result.finally(() => {
      queued -= 1;
    });
  };
}

export function openPastStatus({ entries, ...parts }: PastStatusOptions): PastStatus {
  /** Rows of the last query, from which further pages are taken until the garbage collector frees them. */
  let lastResult: CachedRows | undefined;
  const enqueue = limitedQueue();

  async function rowsOf(query: StatusQuery, atMs: number): Promise<Result<ListedRow[], Refusal>> {
    const cacheKey = `${atMs} ${filterCacheKey(query)}`;
    const known = query.pageToken !== "" && lastResult?.cacheKey === cacheKey ? lastResult.rows.deref() : undefined;
    if (known !== undefined) return ok(known);
    const build = () => pastRowsOf(entries(query), { filter: query, atMs }, parts);
    const found = await (query.key === undefined ? enqueue(build) : build());
    if (found.ok) lastResult = { cacheKey, rows: new WeakRef(found.value) };
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
