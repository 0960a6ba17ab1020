import type { DatabaseSync } from "node:sqlite";
import type { HistoryRecord, HistoryType } from "@realmwatch/shared/model/history";
import {
  beforeRecordTypes,
  couldBeInEffectAt,
  downtimeRecordTypes,
  isCompleteBefore,
  isStateRecord,
  laterRecordTypes,
} from "@realmwatch/shared/read-model/past/past-records";
import {
  type HistoryRow,
  historyRecordOf,
  historyRowColumns,
  type RecordPosition,
  readHistoryRow,
} from "./history-reader.ts";

/** Reads records around an instant. The cost of a call is its result size, or one index lookup for each object. */
export type PastRecordReader = ReturnType<typeof openPastRecordReader>;

export function openPastRecordReader(db: DatabaseSync) {
  const sql = pastStatements(db);
  return {
    /** True when a record exists at the instant or before. */
    pastReaches: (atMs: number): boolean => sql.reaches.get(atMs) !== undefined,
    /** Objects whose state changed after the instant; undefined when there are more than `limit` such records. */
    pastChanged(atMs: number, limit: number): readonly string[] | undefined {
      if (sql.countAfter.all(atMs, limit + 1).length > limit) return undefined;
      return sql.changed.all(atMs).map(({ ref }) => String(ref));
    },
    /**
     * States of those `refs` that changed after the instant or that are in `lookBack`: the first later change, and the
     * records before the instant, newest first; see `ObjectPast`.
     */
    pastStates(atMs: number, refs: readonly string[], lookBack: readonly string[]) {
      const wanted = new Set(lookBack);
      return refs.flatMap((ref) => {
        const found = sql.nextState.get(ref, atMs);
        if (found === undefined && !wanted.has(ref)) return [];
        return [{ ref, next: found && readHistoryRow(found), before: completeBefore(sql.before.iterate(ref, atMs)) }];
      });
    },
    /** Records of a few objects: later ones of `laterTypes`, and earlier downtimes that could last until the instant. */
    pastNotes: (atMs: number, refs: readonly string[]) => ({
      later: refs.flatMap((ref) => sql.notesLater.all(ref, atMs).map(readHistoryRow)),
      before: refs
        .flatMap((ref) => sql.downtimesBefore.all(ref, atMs).map(readHistoryRow))
        .filter((row) => couldBeInEffectAt(historyRecordOf(row), atMs)),
    }),
    /**
     * Records of one type in the order of time: after the instant, or earlier downtimes that could last until it. `next`:
     * position after which the next slice begins; undefined for the last.
     */
    pastTyped({ type, side, atMs, from, limit }: TypedRecordsRequest) {
      const place = from ?? { atMs: side === "later" ? atMs + 1 : Number.MIN_SAFE_INTEGER, seq: 0 };
      const untilMs = side === "later" ? Number.MAX_SAFE_INTEGER : atMs;
      const found = sql.typed.all(type, place.atMs, place.seq, untilMs, limit).map(readHistoryRow);
      const last = found.at(-1);
      const next: RecordPosition | undefined =
        found.length === limit && last !== undefined ? { atMs: last.atMs, seq: last.seq } : undefined;
      return {
        rows: side === "later" ? found : found.filter((row) => couldBeInEffectAt(historyRecordOf(row), atMs)),
        next,
      };
    },
  };
}

type TypedRecordsRequest = {
  readonly type: HistoryType;
  readonly side: "later" | "before";
  readonly atMs: number;
  readonly from: RecordPosition | undefined;
  readonly limit: number;
};

/** Reads all records of an instant or none, so that a query for earlier records continues without a gap. */
function completeBefore(newestFirst: Iterable<Record<string, unknown>>): readonly HistoryRow[] {
  const rows: HistoryRow[] = [];
  const records: HistoryRecord[] = [];
  for (const found of newestFirst) {
    const row = readHistoryRow(found);
    if (row.atMs !== rows.at(-1)?.atMs && isCompleteBefore(records)) break;
    const record = historyRecordOf(row);
    if (record.type === "state" && !isStateRecord(record)) continue;
    rows.push(row);
    records.push(record);
  }
  return rows;
}

/** Excludes dropped results, which are `state` records without a status. Quotes within a JSON string are escaped. */
const hasStatus = `instr(json, '"status":') > 0`;

const listOf = (types: readonly HistoryType[]): string => `(${types.map((type) => `'${type}'`).join(", ")})`;

/**
 * Statements that name their index, because the planner cannot know how few records an object has around an instant.
 */
const pastStatements = (db: DatabaseSync) => ({
  reaches: db.prepare("SELECT seq FROM history INDEXED BY history_by_time WHERE at_ms <= ? LIMIT 1"),
  countAfter: db.prepare("SELECT 1 FROM history INDEXED BY history_by_type WHERE type = 'state' AND at_ms > ? LIMIT ?"),
  changed: db.prepare(`SELECT DISTINCT ref FROM history INDEXED BY history_by_type
    WHERE type = 'state' AND at_ms > ? AND ref NOT NULL`),
  nextState: db.prepare(`SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms > ? AND type = 'state' AND ${hasStatus} ORDER BY at_ms, seq LIMIT 1`),
  before: db.prepare(`SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms <= ? AND type IN ${listOf(beforeRecordTypes)} ORDER BY at_ms DESC, seq DESC`),
  notesLater: db.prepare(`SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms > ? AND type IN ${listOf(laterRecordTypes)}`),
  downtimesBefore: db.prepare(`SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms <= ? AND type IN ${listOf(downtimeRecordTypes)}`),
  typed: db.prepare(`SELECT ${historyRowColumns} FROM history INDEXED BY history_by_type
    WHERE type = ? AND (at_ms, seq) > (?, ?) AND at_ms <= ? ORDER BY at_ms, seq LIMIT ?`),
});
