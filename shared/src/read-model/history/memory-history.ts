import type { HistoryRecord } from "../../model/history.ts";
import type { Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import type { HistoryAnswer, HistoryQuery } from "../read-model.ts";
import { type FindSelectorSubject, historyPageToken, matchesHistory, parseHistoryPageToken } from "./history-filter.ts";
import { compareHistory, type HistoryPosition } from "./history-position.ts";
import { StoredHistories } from "./stored-history.ts";

type MemoryHistoryOptions = {
  /** Maximum number of stored records: the newest of all realms. */
  readonly maxRecords: number;
  /** For queries with a selector. */
  readonly findSubject: FindSelectorSubject;
};

/** Recent history of all realms in memory, for an aggregator without Redis. */
export function memoryHistory({ maxRecords, findSubject }: MemoryHistoryOptions) {
  /** Stored records, oldest first, in the order of `compareHistory`. */
  let records: HistoryRecord[] = [];
  const stored = new StoredHistories();
  /** Trimming moves all records, so it runs only when the limit is exceeded by an eighth. */
  const trimAbove = maxRecords + Math.ceil(maxRecords / 8);

  function insert(record: HistoryRecord): void {
    const at = firstNotBefore(records, record);
    const next = records[at];
    if (next !== undefined && compareHistory(next, record) === 0) return;
    if (at === 0 && records.length >= maxRecords) return stored.noteTrimmed([record]);
    records.splice(at, 0, record);
    if (records.length > trimAbove) stored.noteTrimmed(records.splice(0, records.length - maxRecords));
  }

  function newestFirst(query: HistoryQuery, before: HistoryPosition | undefined): HistoryRecord[] {
    const found: HistoryRecord[] = [];
    let at = before === undefined ? records.length : firstNotBefore(records, before);
    while (at > 0 && found.length <= query.pageSize) {
      at -= 1;
      const record = records[at];
      if (record === undefined || (query.sinceMs !== undefined && record.atMs < query.sinceMs)) break;
      if (matchesHistory(record, query, findSubject)) found.push(record);
    }
    return found;
  }

  return {
    /**
     * Adds records in any order; a record that is already stored is ignored. When the history is full, a record older
     * than all stored ones is ignored too.
     */
    add(more: readonly HistoryRecord[]): void {
      stored.noteStored(more);
      more.forEach(insert);
    },
    /** Removes the records of a realm. */
    forget(realm: string): void {
      stored.forget(realm);
      records = records.filter((record) => record.realm !== realm);
    },
    get size(): number {
      return Math.min(records.length, maxRecords);
    },
    async history(query: HistoryQuery): Promise<Result<HistoryAnswer, Refusal>> {
      const before = parseHistoryPageToken(query.pageToken);
      if (!before.ok) return before;
      const found = newestFirst(query, before.value);
      const page = found.slice(0, query.pageSize);
      const last = page.at(-1);
      const hasMore = found.length > query.pageSize && last !== undefined;
      return ok({ records: page, nextPageToken: hasMore ? historyPageToken(last) : "", held: stored.of(query.realm) });
    },
  };
}

/** Index of the first record that is not older than `position`. */
function firstNotBefore(records: readonly HistoryRecord[], position: HistoryPosition): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const record = records[middle];
    if (record !== undefined && compareHistory(record, position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
