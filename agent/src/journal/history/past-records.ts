import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { HistoryRecord, HistoryType } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import {
  beforeRecordTypes,
  couldBeInEffectAt,
  downtimeRecordTypes,
  isCompleteBefore,
  laterRecordTypes,
  isStateRecord,
} from "@realmwatch/shared/read-model/past/past-records";
import type { HistoryRow, ReaderResponses, ReaderRequest, StatesAroundInstant, TypedRecordsSlice } from "../threads/journal-protocol.ts";
import { historyRecordOf } from "./history-page.ts";
import { historyRowColumns, readHistoryRow } from "./history-reader.ts";

type Ask<Kind extends ReaderRequest["kind"]> = Extract<ReaderRequest, { kind: Kind }>;

/** Finds records around an instant. Each question costs what it yields, or one look into an index for each object. */
export type PastRecordReader = {
  reaches(atMs: number): boolean;
  changed(atMs: number, limit: number): readonly string[] | undefined;
  states(ask: Ask<"past_states">): readonly StatesAroundInstant[];
  notes(ask: Ask<"past_notes">): { readonly later: readonly HistoryRow[]; readonly before: readonly HistoryRow[] };
  typed(ask: Ask<"past_typed">): TypedRecordsSlice;
};

export function openPastRecordReader(db: DatabaseSync): PastRecordReader {
  const sql = statements(db);

  /** All records of an instant or none, so that an earlier question goes on without a gap. */
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

/** A question about an instant. */
export type PastRequest = Ask<`past_${string}` & ReaderRequest["kind"]>;

/** The answer is of its question's kind, which the compiler cannot follow through the switch. */
export function answerPastRequest(records: PastRecordReader, ask: PastRequest): ReaderResponses[PastRequest["kind"]] {
  switch (ask.kind) {
    case "past_reaches":
      return records.reaches(ask.atMs);
    case "past_changed":
      return records.changed(ask.atMs, ask.limit);
    case "past_states":
      return records.states(ask);
    case "past_notes":
      return records.notes(ask);
    case "past_typed":
      return records.typed(ask);
    default:
      return never(ask);
  }
}

/** A result that was dropped is a record of type `state` without a status. Quotes within a JSON text are escaped. */
const told = `instr(json, '"status":') > 0`;

const listOf = (types: readonly HistoryType[]): string => `(${types.map((type) => `'${type}'`).join(", ")})`;

/** The index is named in each, because the planner does not know how few records an object has around an instant. */
const texts = {
  reaches: "SELECT seq FROM history INDEXED BY history_by_time WHERE at_ms <= ? LIMIT 1",
  countAfter: "SELECT 1 FROM history INDEXED BY history_by_type WHERE type = 'state' AND at_ms > ? LIMIT ?",
  changed: `SELECT DISTINCT ref FROM history INDEXED BY history_by_type
    WHERE type = 'state' AND at_ms > ? AND ref NOT NULL`,
  nextState: `SELECT ${historyRowColumns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms > ? AND type = 'state' AND ${told} ORDER BY at_ms, seq LIMIT 1`,
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
