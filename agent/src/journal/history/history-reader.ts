import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { StoredAuditRecord } from "@realmwatch/shared/model/audit";
import { auditChainReader } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import { isRowIntact } from "../schema/row-crc.ts";
import type { HistoryPageRequest, HistoryRow } from "../threads/journal-protocol.ts";

/** Above so many objects a page is found by walking through time, not by asking for each object. */
const fewRefs = 64;

export type JournalHistoryReader = {
  page(ask: HistoryPageRequest): readonly HistoryRow[];
  /** Records with a greater seq, oldest first. */
  after(seq: number, limit: number): readonly HistoryRow[];
  /** Audit records, newest first. */
  audit(sinceMs: number | undefined, limit: number): readonly StoredAuditRecord[];
  close(): void;
};

/** Reads history from a connection of its own, so that a question never waits for a write. */
export function openJournalHistoryReader(db: DatabaseSync): JournalHistoryReader {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    page(ask) {
      const { sql, values } = pageSql(ask);
      return statement(sql).all(values).map(readHistoryRow);
    },
    after: (seq, limit) =>
      statement(`SELECT ${historyRowColumns} FROM history WHERE seq > ? ORDER BY seq LIMIT ?`)
        .all(seq, limit)
        .map(readHistoryRow),
    audit: auditChainReader(db),
    close: () => db.close(),
  };
}

/** What `readRow` wants of a row. */
export const historyRowColumns = "seq, at_ms, type, ref, json, crc";

/** A damaged record has no text. */
export function readHistoryRow(row: Record<string, unknown>): HistoryRow {
  const [seq, atMs, json] = [Number(row.seq), Number(row.at_ms), String(row.json)];
  const ref = row.ref === null ? null : String(row.ref);
  return { seq, atMs, json: isRowIntact(row.crc, json, seq, atMs, String(row.type), ref) ? json : undefined };
}

type Values = Record<string, SQLInputValue>;

function pageSql(ask: HistoryPageRequest): { sql: string; values: Values } {
  const where: string[] = [];
  const values: Values = { limit: ask.limit };
  const need = (condition: string, given: Values): void => {
    where.push(condition);
    Object.assign(values, given);
  };
  if (ask.refs) need("ref IN (SELECT value FROM json_each(:refs))", { refs: JSON.stringify(ask.refs) });
  if (ask.types.length === 1) need("type = :type", { type: ask.types[0] ?? "" });
  else if (ask.types.length > 1)
    need("type IN (SELECT value FROM json_each(:types))", { types: JSON.stringify(ask.types) });
  if (ask.sinceMs !== undefined) need("at_ms >= :since", { since: ask.sinceMs });
  if (ask.untilMs !== undefined) need("at_ms < :until", { until: ask.untilMs });
  if (ask.before)
    need("(at_ms, seq) < (:beforeMs, :beforeSeq)", { beforeMs: ask.before.atMs, beforeSeq: ask.before.seq });
  const conditions = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  const sql = `SELECT ${historyRowColumns} FROM history INDEXED BY ${indexFor(ask)} ${conditions}
    ORDER BY at_ms DESC, seq DESC LIMIT :limit`;
  return { sql, values };
}

/** Chosen here, because the planner cannot know how long the lists in the parameters are. */
function indexFor({ refs, types }: HistoryPageRequest): string {
  if (refs && refs.length <= fewRefs) return "history_by_ref";
  return types.length === 1 && !refs ? "history_by_type" : "history_by_time";
}
