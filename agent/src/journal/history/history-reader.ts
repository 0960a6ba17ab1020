import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { HistoryEntry, HistoryRecord } from "@realmwatch/shared/model/history";
import { auditChainReader } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import { type HistoryTextQuery, matchesHistoryText } from "@realmwatch/shared/read-model/history/history-filter";
import { isRowIntact } from "../schema/row-crc.ts";

/** Query for a page of history, newest first: by time, then by seq. */
export type HistoryPageRequest = {
  /** References of objects; undefined also selects records without an object. */
  readonly refs: readonly string[] | undefined;
  /** Empty for all types. */
  readonly types: readonly string[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Selects only records older than this position. */
  readonly before: RecordPosition | undefined;
  /** Conditions on the names and texts in a record; absent for none. */
  readonly text?: HistoryTextQuery;
  readonly limit: number;
};

/** Rows of a page. `next`: position of the last record that was looked at, when older ones were not; else undefined. */
export type HistorySlice = { readonly rows: readonly HistoryRow[]; readonly next: RecordPosition | undefined };

export type HistoryRow = {
  readonly seq: number;
  readonly atMs: number;
  /** Undefined when the stored record is damaged. */
  readonly json: string | undefined;
};

/** Position of a record in the order of time. */
export type RecordPosition = { readonly atMs: number; readonly seq: number };

/** Most objects that are looked up one by one for a page; above, records are read in order of time. */
const fewRefs = 64;

/** Most records that are searched in one request, so that it occupies the thread for some ms only. */
const searchedAtOnce = 2_000;

/** Reads history from a connection of its own, so that a query never waits for a write. */
export function openJournalHistoryReader(db: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => prepared.getOrInsertComputed(sql, () => db.prepare(sql));
  return {
    /** Rows of a page; with a condition on texts, those of the next records, whose number is limited. */
    page(request: HistoryPageRequest): HistorySlice {
      const { text, limit } = request;
      const { sql, values } = pageSql(text === undefined ? request : { ...request, limit: searchedAtOnce });
      const found = statement(sql).all(values).map(readHistoryRow);
      if (text === undefined) return { rows: found, next: undefined };
      const matching = found.filter((row) => matchesHistoryText(historyRecordOf(row), text));
      const last = found.at(-1);
      const isMore = found.length === searchedAtOnce && last !== undefined;
      return { rows: matching.slice(0, limit), next: isMore ? { atMs: last.atMs, seq: last.seq } : undefined };
    },
    /** Records with a greater seq, oldest first. */
    after: (seq: number, limit: number): readonly HistoryRow[] =>
      statement(`SELECT ${historyRowColumns} FROM history WHERE seq > ? ORDER BY seq LIMIT ?`)
        .all(seq, limit)
        .map(readHistoryRow),
    /** Audit records, newest first. */
    audit: auditChainReader(db),
    close: (): void => db.close(),
  };
}

/** Columns that `readHistoryRow` needs. */
export const historyRowColumns = "seq, at_ms, type, ref, json, crc";

/** Converts a row and verifies its checksum; a damaged row has no JSON. */
export function readHistoryRow(row: Record<string, unknown>): HistoryRow {
  const [seq, atMs, json] = [Number(row.seq), Number(row.at_ms), String(row.json)];
  const ref = row.ref === null ? null : String(row.ref);
  return { seq, atMs, json: isRowIntact(row.crc, json, seq, atMs, String(row.type), ref) ? json : undefined };
}

/** History record of a row. A damaged row becomes a record of type `gap` that says so. */
export function historyRecordOf({ seq, atMs, json }: HistoryRow): HistoryRecord {
  if (json !== undefined) return { seq, realm: "", ...(JSON.parse(json) as HistoryEntry) };
  return { seq, realm: "", atMs, type: "gap", comment: `history record ${seq} is damaged on disk` };
}

type Values = Record<string, SQLInputValue>;

function pageSql(request: HistoryPageRequest): { sql: string; values: Values } {
  const where: string[] = [];
  const values: Values = { limit: request.limit };
  const addCondition = (condition: string, given: Values): void => {
    where.push(condition);
    Object.assign(values, given);
  };
  if (request.refs) addCondition("ref IN (SELECT value FROM json_each(:refs))", { refs: JSON.stringify(request.refs) });
  if (request.types.length === 1) addCondition("type = :type", { type: request.types[0] ?? "" });
  else if (request.types.length > 1)
    addCondition("type IN (SELECT value FROM json_each(:types))", { types: JSON.stringify(request.types) });
  if (request.sinceMs !== undefined) addCondition("at_ms >= :since", { since: request.sinceMs });
  if (request.untilMs !== undefined) addCondition("at_ms < :until", { until: request.untilMs });
  if (request.before)
    addCondition("(at_ms, seq) < (:beforeMs, :beforeSeq)", {
      beforeMs: request.before.atMs,
      beforeSeq: request.before.seq,
    });
  const conditions = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  const sql = `SELECT ${historyRowColumns} FROM history INDEXED BY ${indexFor(request)} ${conditions}
    ORDER BY at_ms DESC, seq DESC LIMIT :limit`;
  return { sql, values };
}

/** Index for a query, chosen here because the planner cannot know the length of lists in parameters. */
function indexFor({ refs, types }: HistoryPageRequest): string {
  if (refs && refs.length <= fewRefs) return "history_by_ref";
  return types.length === 1 && !refs ? "history_by_type" : "history_by_time";
}
