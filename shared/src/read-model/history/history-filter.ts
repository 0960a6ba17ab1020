import type { HistoryRecord } from "../../model/history.ts";
import { type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { matchesSelector, type SelectorSubject } from "../../text/selector/selector.ts";
import { decodeToken, decodeTokenText, encodeToken, encodeTokenText, invalidPageToken } from "../page-token.ts";
import type { HistoryQuery } from "../read-model.ts";
import { nameContains } from "../rows/row-filter.ts";
import type { HistoryPosition } from "./history-position.ts";

/** Finds the current fields of an object that selectors match; undefined when the object no longer exists. */
export type FindSelectorSubject = (realm: string, key: ObjectKey) => SelectorSubject | undefined;

/**
 * True when a record passes the query's conditions, without paging. A selector matches objects as they are now. [FD76] A
 * record in place of a missing one passes, since the missing one may be of any type; without an object, of any object.
 */
export function matchesHistory(record: HistoryRecord, query: HistoryQuery, findSubject: FindSelectorSubject): boolean {
  const { key, realm, atMs } = record;
  const isMissing = standsForMissing(record);
  const isOfAny = isMissing && key === undefined;
  return (
    (query.realm === "" || query.realm === realm) &&
    (query.sinceMs === undefined || atMs >= query.sinceMs) &&
    (query.untilMs === undefined || atMs < query.untilMs) &&
    (query.types.length === 0 || isMissing || query.types.includes(record.type)) &&
    matchesHistoryText(record, query) &&
    (query.key === undefined || isOfAny || (key !== undefined && refOf(key) === refOf(query.key))) &&
    (query.selector === undefined || isOfAny || subjectMatches(query.selector, key && findSubject(realm, key)))
  );
}

/** Conditions of a query on the names and texts in a record. */
export type HistoryTextQuery = Pick<HistoryQuery, "actor" | "contact" | "search">;

export const hasTextCondition = ({ actor, contact, search }: HistoryTextQuery): boolean =>
  actor !== "" || contact !== "" || search !== "";

/** [RM33] True when a record passes the conditions on names and texts. A record in place of a missing one passes. */
export function matchesHistoryText(record: HistoryRecord, { actor, contact, search }: HistoryTextQuery): boolean {
  if (standsForMissing(record)) return true;
  return (
    (actor === "" || record.author === actor || record.onBehalfOf === actor) &&
    (contact === "" || record.contact === contact) &&
    (search === "" || (record.key !== undefined && nameContains(record.key, search)) || textsContain(record, search))
  );
}

const textsContain = ({ output = "", comment = "" }: HistoryRecord, search: string): boolean =>
  [output, comment].some((text) => text.toLowerCase().includes(search.toLowerCase()));

/** True for a record in place of others that are missing; a time without an agent is a gap too, with its start. */
export const standsForMissing = ({ type, stoppedAtMs }: HistoryRecord): boolean =>
  type === "gap" && stoppedAtMs === undefined;

const subjectMatches = (selector: HistoryQuery["selector"], subject: SelectorSubject | undefined): boolean =>
  selector !== undefined && subject !== undefined && matchesSelector(selector, subject);

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

/** Position of a record in the history of its realm. */
type OwnPosition = Pick<HistoryRecord, "atMs" | "seq">;

/** Page token of the last record of a page of one realm's own history. */
export const realmHistoryPageToken = ({ atMs, seq }: OwnPosition): string => encodeTokenText(`${atMs}.${seq}`);

/** Parses a token of one realm's own history; undefined when it is not one. */
export function parseRealmHistoryPageToken(token: string): OwnPosition | undefined {
  const found = /^(-?\d{1,16})\.(\d{1,16})$/.exec(decodeTokenText(token) ?? "");
  return found ? { atMs: Number(found[1]), seq: Number(found[2]) } : undefined;
}

/** Page token with which a realm continues its own history where a page of all realms ended. */
export function realmTokenAt(realm: string, { atMs, realm: last, seq }: HistoryPosition): string {
  if (realm === last) return realmHistoryPageToken({ atMs, seq });
  // Records of the same time are ordered by realm: the greater name counts as newer.
  return realmHistoryPageToken({ atMs, seq: realm < last ? Number.MAX_SAFE_INTEGER : 0 });
}
