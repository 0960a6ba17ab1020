import type { HistoryRecord } from "../../model/history.ts";
import { type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { matchesSelector, type SelectorSubject } from "../../text/selector.ts";
import { decodeToken, encodeToken, invalidPageToken } from "../page-token.ts";
import type { HistoryQuery } from "../read-model.ts";
import type { RealmNaming } from "../rows/row-filter.ts";

/** What a selector sees of an object now; undefined where there is none any more. */
export type FindSelectorSubject = (realm: string, key: ObjectKey) => SelectorSubject | undefined;

/** Whether a record answers the query, its page aside. A selector asks about objects as they are now. */
export function matchesHistory(
  record: HistoryRecord,
  query: HistoryQuery,
  { ownRealm, findSubject }: RealmNaming & { readonly findSubject: FindSelectorSubject },
): boolean {
  const { key, realm, atMs } = record;
  return (
    (query.realm === "" || query.realm === (realm || ownRealm)) &&
    (query.sinceMs === undefined || atMs >= query.sinceMs) &&
    (query.untilMs === undefined || atMs < query.untilMs) &&
    (query.types.length === 0 || query.types.includes(record.type)) &&
    (query.key === undefined || (key !== undefined && refOf(key) === refOf(query.key))) &&
    (query.selector === undefined || subjectMatches(query.selector, key && findSubject(realm, key)))
  );
}

const subjectMatches = (selector: HistoryQuery["selector"], subject: SelectorSubject | undefined): boolean =>
  selector !== undefined && subject !== undefined && matchesSelector(selector, subject);

/** A record's place in the feed of all realms. */
export type HistoryPosition = Pick<HistoryRecord, "atMs" | "realm" | "seq">;

/** Below 0 where `a` is the older one. By time, because realms number their records each for itself. */
export const compareHistory = (a: HistoryPosition, b: HistoryPosition): number =>
  a.atMs - b.atMs || (a.realm < b.realm ? -1 : a.realm > b.realm ? 1 : a.seq - b.seq);

/** Names the last record of a page; the next page holds what is older. */
export const historyPageToken = ({ atMs, realm, seq }: HistoryPosition): string => encodeToken([atMs, realm, seq]);

/** The place before which the next page begins; undefined for the first page. */
export function parseHistoryPageToken(token: string): Result<HistoryPosition | undefined, Refusal> {
  if (token === "") return ok(undefined);
  const [atMs, realm, seq, ...rest] = decodeToken(token) ?? [];
  if (typeof atMs !== "number" || typeof realm !== "string" || typeof seq !== "number" || rest.length > 0)
    return fail(invalidPageToken);
  return ok({ atMs, realm, seq });
}
