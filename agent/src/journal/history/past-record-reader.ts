import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HistoryRecord, HistoryType } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import {
  beforeRecordTypes,
  couldBeInEffectAt,
  downtimeRecordTypes,
  isCompleteBefore,
  isStateRecord,
  laterRecordTypes,
} from "@realmwatch/shared/read-model/past/past-records";
import type {
  HistoryRow,
  ReaderRequest,
  ReaderResponses,
  StatesAroundInstant,
  TypedRecordsSlice,
} from "../threads/journal-protocol.ts";
import { historyRecordOf } from "./history-page.ts";
import { historyRowColumns, readHistoryRow } from "./history-reader.ts";

type RequestOf<Kind extends ReaderRequest["kind"]> = Extract<ReaderRequest, { kind: Kind }>;

/** Reads records around an instant. The cost of a call is its result size, or one index lookup for each object. */
export type PastRecordReader = {
  reaches(atMs: number): boolean;
  changed(atMs: number, limit: number): readonly string[] | undefined;
  states(request: RequestOf<"past_states">): readonly StatesAroundInstant[];
  notes(request: RequestOf<"past_notes">): {
    readonly later: readonly HistoryRow[];
    readonly before: readonly HistoryRow[];
  };
  typed(request: RequestOf<"past_typed">): TypedRecordsSlice;
};

export function openPastRecordReader(db: DatabaseSync): PastRecordReader {
  const sql = statements(db);

  /** Reads all records of an instant or none, so that a query for earlier records continues without a gap. */
  function before(ref: string, atMs: number): readonly HistoryRow[] {
    const rows: HistoryRow[] = [];
    const records: HistoryRecord[] = [];
    for (const found of sql.before.iterate(ref, atMs)) {
      const row = readHistoryRow(found);
      if (row.atMs !== rows.at(-1)?.atMs && isCompleteBefore(records)) break;
      const record = historyRecordOf(row);
      if (record.type === "state" && !isStateRecord(record)) continue;
      rows.push(row);
      records.push(record);
    }
    return rows;
  }

  return {
    reaches: (atMs) => sql.reaches.get(atMs) !== undefined,
    changed(atMs, limit) {
      if (sql.countAfter.all(atMs, limit + 1).length > limit) return undefined;
      return sql.changed.all(atMs).map(({ ref }) => String(ref));
    },
    states({ atMs, refs, lookBack }) {
      const wanted = new Set(lookBack);
      return refs.flatMap((ref) => {
        const found = sql.nextState.get(ref, atMs);
        if (found === undefined && !wanted.has(ref)) return [];
        return [{ ref, next: found && readHistoryRow(found), before: before(ref, atMs) }];
      });
    },
    notes: ({ atMs, refs }) => ({
      later: refs.flatMap((ref) => sql.notesLater.all(ref, atMs).map(readHistoryRow)),
      before: refs
        .flatMap((ref) => sql.downtimesBefore.all(ref, atMs).map(readHistoryRow))
        .filter((row) => couldBeInEffectAt(historyRecordOf(row), atMs)),
    }),
    typed({ type, side, atMs, from, limit }) {
      const place = from ?? { atMs: side === "later" ? atMs + 1 : Number.MIN_SAFE_INTEGER, seq: 0 };
      const untilMs = side === "later" ? Number.MAX_SAFE_INTEGER : atMs;
      const found = sql.typed.all(type, place.atMs, place.seq, untilMs, limit).map(readHistoryRow);
      const last = found.at(-1);
      return {
        rows: side === "later" ? found : found.filter((row) => couldBeInEffectAt(historyRecordOf(row), atMs)),
        next: found.length === limit && last !== undefined ? { atMs: last.atMs, seq: last.seq } : undefined,
      };
    },
  };
}

/** Request for records around an instant. */
export type PastRequest = RequestOf<`past_${string}` & ReaderRequest["kind"]>;

/**
 * Answers a request. The response belongs to the request's kind, which the compiler cannot follow through the switch.
 */
export function answerPastRequest(
  records: PastRecordReader,
  request: PastRequest,
): ReaderResponses[PastRequest["kind"]] {
  switch (request.kind) {
    case "past_reaches":
      return records.reaches(request.atMs);
    case "past_changed":
      return records.changed(request.atMs, request.limit);
    case "past_states":
      return records.states(request);
    case "past_notes":
      return records.notes(request);
    case "past_typed":
      return records.typed(request);
    default:
      return never(request);
  }
}

/** Excludes dropped results, which are `state` records without a status. Quotes within a JSON string are escaped. */
const hasStatus = `instr(json, '"status":') > 0`;

const listOf = (types: readonly HistoryType[]): string => `(${types.map((type) => `'${type}'`).join(", ")})`;

/**
 * Statements that name their index, because the planner cannot know how few records an object has around an instant.
 */
const texts = {
  reaches: "SELECT seq FROM history INDEXED BY history_by_time WHERE at_ms <= ? LIMIT 1",
  countAfter: "SELECT 1 FROM history INDEXED BY history_by_type WHERE type = 'state' AND at_ms > ? LIMIT ?",
  changed: `SELECT DISTINCT ref FROM history INDEXED BY history_by_type
    WHERE type = 'state' AND at_ms > ? AND ref NOT NULL`,
  nextState: `SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms > ? AND type = 'state' AND ${hasStatus} ORDER BY at_ms, seq LIMIT 1`,
  before: `SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms <= ? AND type IN ${listOf(beforeRecordTypes)} ORDER BY at_ms DESC, seq DESC`,
  notesLater: `SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms > ? AND type IN ${listOf(laterRecordTypes)}`,
  downtimesBefore: `SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms <= ? AND type IN ${listOf(downtimeRecordTypes)}`,
  typed: `SELECT ${historyRowColumns} FROM history INDEXED BY history_by_type
    WHERE type = ? AND (at_ms, seq) > (?, ?) AND at_ms <= ? ORDER BY at_ms, seq LIMIT ?`,
} as const;

function statements(db: DatabaseSync): Record<keyof typeof texts, StatementSync> {
  const prepared = Object.entries(texts).map(([name, text]) => [name, db.prepare(text)] as const);
  return Object.fromEntries(prepared) as Record<keyof typeof texts, StatementSync>;
}
