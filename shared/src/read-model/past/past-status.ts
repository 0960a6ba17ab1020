import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { nameOfFilter } from "../rows/summary-cache.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import { placeOfToken } from "../page-token.ts";
import { type Listed, pageOf } from "../rows/row-page.ts";
import { type PastViewParts, rowsAt } from "./past-rows.ts";
import type { RowFilter, StatusAnswer, StatusQuery } from "../read-model.ts";
import { summaryOfRows } from "../rows/row-counts.ts";

export type PastAnswersParts = PastViewParts & {
  /** Everything that the filter's rows may be, and what may cover those. */
  readonly entries: (filter: RowFilter) => Iterable<LiveEntry>;
};

/** Answers status queries about an instant that is gone. */
export type PastAnswers = { status(query: StatusQuery, atMs: number): Promise<Result<StatusAnswer, Refusal>> };

type Found = { readonly name: string; readonly rows: WeakRef<Listed[]> };

/** Questions about all objects that may be on their way; each may take seconds and some 100 MB. */
const mostWaiting = 8;

/** One after the other, and no more than a few. */
function turns() {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(work: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> => {
    if (waiting >= mostWaiting)
      return fail({ kind: "exhausted", what: "too many questions about the past wait: ask again in a moment" });
    waiting += 1;
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine.finally(() => {
      waiting -= 1;
    });
  };
}

export function pastAnswers({ entries, ...parts }: PastAnswersParts): PastAnswers {
  /** What the last question found. A page that follows is taken from it, as long as nobody needs the memory. */
  let last: Found | undefined;
  const inTurn = turns();

  async function rowsOf(query: StatusQuery, atMs: number): Promise<Result<Listed[], Refusal>> {
    const name = `${atMs} ${nameOfFilter(query)}`;
    const known = query.pageToken !== "" && last?.name === name ? last.rows.deref() : undefined;
    if (known !== undefined) return ok(known);
    const look = () => rowsAt(entries(query), { filter: query, atMs }, parts);
    const found = await (query.key === undefined ? inTurn(look) : look());
    if (found.ok) last = { name, rows: new WeakRef(found.value) };
    return found;
  }

  return {
    async status(query, atMs) {
      const after = placeOfToken(query.sort, query.pageToken);
      if (!after.ok) return after;
      const found = await rowsOf(query, atMs);
      if (!found.ok) return found;
      const summary = summaryOfRows(found.value.map(({ row }) => row));
      const { sort, pageSize } = query;
      const page = pageOf(found.value, { sort, pageSize, after: after.value });
      return ok({ ...page, summary, revision: "", removed: [], full: false });
    },
  };
}
