import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import {
  hasTextCondition,
  parseRealmHistoryPageToken,
  realmHistoryPageToken,
} from "@realmwatch/shared/read-model/history/history-filter";
import type { HistoryAnswer, HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import type { FindMatchingRefs } from "../journal-contract.ts";
import type { HistoryPageRequest, HistoryRow, HistorySlice } from "./history-reader.ts";

/**
 * Request for the rows of a page, and one more that shows whether another page follows. `nothing` when no record can
 * match.
 */
export function historyPageRequest(
  query: HistoryQuery,
  own: { readonly realm: string; readonly refsMatching: FindMatchingRefs },
): Result<HistoryPageRequest | "nothing", Refusal> {
  const before = query.pageToken === "" ? undefined : parseRealmHistoryPageToken(query.pageToken);
  if (query.pageToken !== "" && !before)
    return fail({ kind: "malformed", field: "pageToken", why: "not a page token of this server" });
  if (query.realm !== "" && query.realm !== own.realm) return ok("nothing");
  const refs = refsFor(query, own.refsMatching);
  if (refs?.length === 0) return ok("nothing");
  const limit = Math.min(Math.max(query.pageSize, 1), 1_000) + 1;
  const { types, sinceMs, untilMs } = query;
  const text = hasTextCondition(query) && { actor: query.actor, contact: query.contact, search: query.search };
  return ok({ refs, types, sinceMs, untilMs, before, limit, ...(text && { text }) });
}

function refsFor({ key, selector }: HistoryQuery, refsMatching: FindMatchingRefs): readonly string[] | undefined {
  const ref = key && refOf(key);
  if (!selector) return ref === undefined ? undefined : [ref];
  const matching = refsMatching(selector);
  return ref === undefined ? matching : matching.filter((candidate) => candidate === ref);
}

/** Page of the first `pageSize` rows; further rows give it a token for the next page. */
export function historyPageOf(
  rows: readonly HistoryRow[],
  pageSize: number,
  toRecord: (row: HistoryRow) => HistoryRecord,
): HistoryAnswer {
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  return {
    records: page.map(toRecord),
    nextPageToken: rows.length > pageSize && last ? realmHistoryPageToken(last) : "",
  };
}

/**
 * Reads the rows of a page in slices, between which the reader thread serves other requests: a search looks at all
 * records until its page is full.
 */
export async function readHistoryPage(
  request: HistoryPageRequest,
  readSlice: (request: HistoryPageRequest) => Promise<Result<HistorySlice, Refusal>>,
): Promise<Result<readonly HistoryRow[], Refusal>> {
  const rows: HistoryRow[] = [];
  let before = request.before;
  do {
    const slice = await readSlice({ ...request, before, limit: request.limit - rows.length });
    if (!slice.ok) return slice;
    rows.push(...slice.value.rows);
    before = slice.value.next;
  } while (before !== undefined && rows.length < request.limit);
  return ok(rows);
}
