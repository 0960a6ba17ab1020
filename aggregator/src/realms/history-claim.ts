import { compareHistory, type HistoryPosition } from "@realmwatch/shared/read-model/history/history-position";
import {
  type HistoryRun,
  historyFloor,
  type StoredHistory,
} from "@realmwatch/shared/read-model/history/stored-history";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";

/** Sequence numbers of the first and the last history record that a realm has, as its agent says; 0 for none. */
export type HistoryClaim = { readonly firstSeq: number; readonly lastSeq: number };

/** Sequence number from which on a realm has records; the first one where it is not known. */
export const firstClaimedSeq = (claim: HistoryClaim | undefined): number => Math.max(1, claim?.firstSeq ?? 1);

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
