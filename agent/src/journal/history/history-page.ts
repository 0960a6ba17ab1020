import type { HistoryEntry, HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import {
  parseRealmHistoryPageToken,
  realmHistoryPageToken,
} from "@realmwatch/shared/read-model/history/history-filter";
import type { HistoryAnswer, HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import type { FindMatchingRefs } from "../journal-contract.ts";
import type { HistoryPageRequest, HistoryRow } from "./history-reader.ts";

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
  return ok({ refs, types: query.types, sinceMs: query.sinceMs, untilMs: query.untilMs, before, limit });
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

/** History record of a row. A damaged row becomes a record of type `gap` that says so. */
export function historyRecordOf({ seq, atMs, json }: HistoryRow): HistoryRecord {
  if (json !== undefined) return { seq, realm: "", ...(JSON.parse(json) as HistoryEntry) };
  return { seq, realm: "", atMs, type: "gap", comment: `history record ${seq} is damaged on disk` };
}
