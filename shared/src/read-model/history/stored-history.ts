import type { HistoryRecord } from "../../model/history.ts";
import { compareHistory, type HistoryPosition } from "./history-position.ts";

/** Consecutive sequence numbers of a realm's records, with the times of the first and the last one, Unix ms. */
export type HistoryRun = {
  readonly from: number;
  readonly fromAtMs: number;
  readonly to: number;
  readonly toAtMs: number;
};

/** Records of one realm that a store of limited size holds. */
export type StoredHistory = {
  /** Numbers of all records that were ever stored, ascending. Numbers between two runs are missing. */
  readonly runs: readonly HistoryRun[];
  /** Newest record that was removed to make room or for its age; undefined when none was. */
  readonly trimmed: HistoryPosition | undefined;
};

export const noStoredHistory: StoredHistory = { runs: [], trimmed: undefined };

/** Most runs that are kept of a realm: records older than the first one count as missing. */
export const mostHistoryRuns = 100;

/** Runs of records in any order. */
export function historyRunsOf(records: readonly HistoryRecord[]): readonly HistoryRun[] {
  return mergeHistoryRuns(
    [],
    records.map(({ seq, atMs }) => ({ from: seq, fromAtMs: atMs, to: seq, toAtMs: atMs })),
  );
}

/** Joins runs that overlap or follow each other. Keeps the last `mostHistoryRuns`. */
export function mergeHistoryRuns(known: readonly HistoryRun[], added: readonly HistoryRun[]): readonly HistoryRun[] {
  const merged: HistoryRun[] = [];
  for (const run of [...known, ...added].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || run.from > last.to + 1) merged.push(run);
    else if (run.to > last.to) merged[merged.length - 1] = { ...last, to: run.to, toAtMs: run.toAtMs };
  }
  return merged.slice(-mostHistoryRuns);
}

/**
 * [FD76] Records that stand for the missing ones, each with the last of the missing numbers and the time of the record
 * that follows them.
 */
export const missingHistoryRecords = (realm: string, runs: readonly HistoryRun[]): readonly HistoryRecord[] =>
  runs.slice(1).map(({ from, fromAtMs }, at): HistoryRecord => {
    const [first, last] = [(runs[at]?.to ?? 0) + 1, from - 1];
    const which = first === last ? `record ${first} is` : `records ${first} to ${last} are`;
    return { realm, seq: last, atMs: fromAtMs, type: "gap", comment: `history ${which} missing` };
  });

/**
 * Newest position at which a record may be missing because the store begins after it; undefined when the store holds
 * every record from number `firstSeq` on, apart from those between runs.
 */
export function historyFloor(
  realm: string,
  { runs, trimmed }: StoredHistory,
  firstSeq: number,
): HistoryPosition | undefined {
  const [first] = runs;
  const isCut = trimmed !== undefined && trimmed.seq >= firstSeq;
  const isLate = first !== undefined && first.from > firstSeq;
  const beforeFirst = isLate ? { realm, atMs: first.fromAtMs, seq: first.from - 1 } : undefined;
  if (!isCut) return beforeFirst;
  return beforeFirst === undefined || compareHistory(trimmed, beforeFirst) > 0 ? trimmed : beforeFirst;
}

/** Instant from which on all records are stored, Unix ms; undefined when none is stored. */
export function heldSinceMs({ runs, trimmed }: StoredHistory): number | undefined {
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  return Math.max(last.fromAtMs, trimmed === undefined ? Number.NEGATIVE_INFINITY : trimmed.atMs + 1);
}

/** Notes which records of each realm a store holds. */
export class StoredHistories {
  readonly #byRealm = new Map<string, StoredHistory>();

  /** Returns the stored history of a realm, by its name; an empty name stands for all realms. */
  of(realm: string): ReadonlyMap<string, StoredHistory> {
    return new Map(realm === "" ? this.#byRealm : [[realm, this.#ofRealm(realm)]]);
  }

  noteStored(added: readonly HistoryRecord[]): void {
    for (const [realm, ofRealm] of Map.groupBy(added, (record) => record.realm)) {
      const known = this.#ofRealm(realm);
      this.#byRealm.set(realm, { ...known, runs: mergeHistoryRuns(known.runs, historyRunsOf(ofRealm)) });
    }
  }

  /** @param trimmed removed records, oldest first */
  noteTrimmed(trimmed: readonly HistoryRecord[]): void {
    for (const { atMs, realm, seq } of trimmed) {
      const known = this.#ofRealm(realm);
      const position = { atMs, realm, seq };
      const isNewer = known.trimmed === undefined || compareHistory(position, known.trimmed) > 0;
      if (isNewer) this.#byRealm.set(realm, { ...known, trimmed: position });
    }
  }

  forget(realm: string): void {
    this.#byRealm.delete(realm);
  }

  #ofRealm(realm: string): StoredHistory {
    return this.#byRealm.get(realm) ?? noStoredHistory;
  }
}
