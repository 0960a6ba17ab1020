import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { matchesHistory, standsForMissing } from "@realmwatch/shared/read-model/history/history-filter";
import { compareHistory, type HistoryPosition } from "@realmwatch/shared/read-model/history/history-position";
import {
  historyFloor,
  missingHistoryRecords,
  type StoredHistory,
} from "@realmwatch/shared/read-model/history/stored-history";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import { firstClaimedSeq, type HistoryClaim, type MissingHistory } from "./history-claim.ts";

/** Records newest first. `hasMore`: older ones may follow. */
export type RecordPage = { readonly records: readonly HistoryRecord[]; readonly hasMore: boolean };

/** Joins two pages of one query. A record of both is taken from `preferred`. */
export function joinHistoryPages(preferred: RecordPage, other: RecordPage, pageSize: number): RecordPage {
  const all = [...preferred.records, ...other.records].sort((a, b) => compareHistory(b, a));
  const distinct = all.filter((record, at) => {
    const previous = all[at - 1];
    return previous === undefined || compareHistory(previous, record) !== 0;
  });
  const hasMore = preferred.hasMore || other.hasMore || distinct.length > pageSize;
  return { records: distinct.slice(0, pageSize), hasMore };
}

/** True when a record of the missing part may belong on the page: it is not full, or not older than the part. */
export function mayBeInPage(missing: MissingHistory, { records }: RecordPage, pageSize: number): boolean {
  const last = records[pageSize - 1];
  return last === undefined || missing.part === "any" || compareHistory(missing.from, last) >= 0;
}

/** Order in which realms are asked: the ones that may have the newest missing records first. */
export function compareMissing(a: MissingHistory, b: MissingHistory): number {
  if (a.part === "any" || b.part === "any") return Number(b.part === "any") - Number(a.part === "any");
  return compareHistory(b.from, a.from);
}

/** Query of history, with the position before which its page begins. */
export type PositionedQuery = { readonly query: HistoryQuery; readonly before: HistoryPosition | undefined };

/**
 * Records that stand for missing ones between stored ones, as far as a query asks for them. A record of the realm itself
 * that stands for missing ones says the same.
 *
 * @param isAnswered true when the realm has answered for what it has: only older records are missing then
 */
export function missingRecordsIn(
  { realm, stored, claim }: RealmHistory,
  { query, before }: PositionedQuery,
  { page, isAnswered }: { readonly page: RecordPage; readonly isAnswered: boolean },
): readonly HistoryRecord[] {
  if (stored.runs.length < 2) return [];
  const firstSeq = firstClaimedSeq(claim);
  const floor = historyFloor(realm, stored, firstSeq);
  const isNoted = (seq: number): boolean =>
    page.records.some((record) => record.realm === realm && record.seq === seq + 1 && standsForMissing(record));
  return missingHistoryRecords(realm, stored.runs).filter(
    (record) =>
      (isAnswered ? record.seq < firstSeq : floor === undefined || compareHistory(record, floor) > 0) &&
      (before === undefined || compareHistory(record, before) < 0) &&
      matchesHistory(record, query, { ownRealm: "", findSubject: () => undefined }) &&
      !isNoted(record.seq),
  );
}

/** Records of a realm that are stored, and those that it has. */
type RealmHistory = {
  readonly realm: string;
  readonly stored: StoredHistory;
  /** Undefined when the realm is not heard now. */
  readonly claim: HistoryClaim | undefined;
};
