import type { HistoryRecord } from "../../model/history.ts";
import { type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { matchesSelector, type SelectorSubject } from "../../text/selector/selector.ts";
import { decodeToken, encodeToken, invalidPageToken } from "../page-token.ts";
import type { HistoryQuery } from "../read-model.ts";
import type { RealmNaming } from "../rows/row-filter.ts";

/** Finds the current fields of an object that selectors match; undefined when the object no longer exists. */
export type FindSelectorSubject = (realm: string, key: ObjectKey) => SelectorSubject | undefined;

/** True when a record passes the query's conditions, without paging. A selector matches objects as they are now. */
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

/** Position of a record in the merged history of all realms. */
export type HistoryPosition = Pick<HistoryRecord, "atMs" | "realm" | "seq">;

/** Negative when `a` is older. Compares by time first, because each realm numbers its records separately. */
export const compareHistory = (a: HistoryPosition, b: HistoryPosition): number =>
  a.atMs - b.atMs || (a.realm < b.realm ? -1 : a.realm > b.realm ? 1 : a.seq - b.seq);

/** Page token of the last record of a page; the next page holds older records. */
export const historyPageToken = ({ atMs, realm, seq }: HistoryPosition): string => encodeToken([atMs, realm, seq]);

/** Parses the position before which the next page begins; undefined for the first page. */
export function parseHistoryPageToken(token: string): Result<HistoryPosition | undefined, Refusal> {
  if (token === "") return ok(undefined);
  const [atMs, realm, seq, ...rest] = decodeToken(token) ?? [];
  if (typeof atMs !== "number" || typeof realm !== "string" || typeof seq !== "number" || rest.length > 0)
    return fail(invalidPageToken);
  return ok({ atMs, realm, seq });
}
