import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { matchesHistory, standsForMissing } from "@realmwatch/shared/read-model/history/history-filter";
import { compareHistory, type HistoryPosition } from "@realmwatch/shared/read-model/history/history-position";
import {
  type HistoryRun,
  historyFloor,
  missingHistoryRecords,
  type StoredHistory,
} from "@realmwatch/shared/read-model/history/stored-history";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";

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

/** Sequence numbers of the first and the last history record that a realm has, as its agent says; 0 for none. */
export type HistoryClaim = { readonly firstSeq: number; readonly lastSeq: number };

/** Sequence number from which on a realm has records; the first one where it is not known. */
const firstClaimedSeq = (claim: HistoryClaim | undefined): number => Math.max(1, claim?.firstSeq ?? 1);

/** Part of a realm's history that may be missing. `older`: records at the position or before it. */
export type MissingHistory = { readonly part: "any" } | { readonly part: "older"; readonly from: HistoryPosition };

/** Oldest position at which a record may follow a run: the next number, at the same time. */
const firstAfter = (realm: string, { to, toAtMs }: HistoryRun): HistoryPosition => ({
  atMs: toAtMs,
  realm,
  seq: to + 1,
});

type PageBounds = { readonly before?: HistoryPosition | undefined; readonly untilMs?: number | undefined };

const isWanted = (position: HistoryPosition, { before, untilMs }: PageBounds): boolean =>
  (before === undefined || compareHistory(position, before) < 0) && (untilMs === undefined || position.atMs < untilMs);

/**
 * [FD77] Part that a query may lack of a realm; undefined when all that it asks for is stored.
 *
 * @param stored undefined when the records cannot be read
 * @param claim    undefined when the realm is not heard now: its newest records are not known
 */
export function missingHistory(
  realm: string,
  { stored, claim }: { readonly stored: StoredHistory | undefined; readonly claim: HistoryClaim | undefined },
  { sinceMs, untilMs, before }: Pick<HistoryQuery, "sinceMs"> & PageBounds,
): MissingHistory | undefined {
  if (stored === undefined) return { part: "any" };
  const newest = stored.runs.at(-1);
  const isWhole = claim !== undefined && claim.lastSeq <= (newest?.to ?? 0);
  if (!isWhole && (newest === undefined || isWanted(firstAfter(realm, newest), { before, untilMs })))
    return { part: "any" };
  const from = historyFloor(realm, stored, firstClaimedSeq(claim));
  return from === undefined || (sinceMs !== undefined && from.atMs < sinceMs) ? undefined : { part: "older", from };
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
      matchesHistory(record, query, () => undefined) &&
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
