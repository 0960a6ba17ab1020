import type { DatabaseSync } from "node:sqlite";
import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import type { Interval } from "@realmwatch/shared/availability/interval";
import type { DowntimeEdge, StateTransition } from "@realmwatch/shared/availability/object-records";
import { setsHardStatus } from "@realmwatch/shared/availability/status-pieces";
import type { HistoryEntry, HistoryRecord } from "@realmwatch/shared/model/history";
import { lastEndMs } from "@realmwatch/shared/read-model/history/advance-downtimes";
import { historySinceMeta } from "../schema/journal-files.ts";
import type {
  HistoryRow,
  ObjectRecordsPart,
  ReaderRequest,
  ReaderResponses,
  RecordPosition,
} from "../threads/journal-protocol.ts";
import { historyRecordOf } from "./history-page.ts";
import { historyRowColumns, readHistoryRow } from "./history-reader.ts";

type ObjectRecordsRequest = Extract<ReaderRequest, { kind: "object_records" }>;

/** Reads the records from which availability is computed, reduced to what the computation needs. */
export type AvailabilityReader = {
  objectRecords(request: ObjectRecordsRequest): ReaderResponses["object_records"];
  coverage(range: Interval): HistoryCoverage;
};

type TypedRow = HistoryRow & { readonly type: string };
type MutablePart = {
  -readonly [K in keyof ObjectRecordsPart]: ObjectRecordsPart[K] extends readonly (infer T)[]
    ? T[]
    : ObjectRecordsPart[K];
};

/** Opens a reader on a connection of its own. */
export function openAvailabilityReader(db: DatabaseSync): AvailabilityReader {
  const sql = statements(db);
  const rowsOf = function* (found: Iterable<Record<string, unknown>>): Iterable<TypedRow> {
    for (const row of found) yield { ...readHistoryRow(row), type: String(row.type) };
  };

  function stateBefore(ref: string, atMs: number): StateTransition | undefined {
    let oldest: StateTransition | undefined;
    for (const row of rowsOf(sql.statesBefore.iterate(ref, atMs))) {
      const change = stateTransitionOf(row);
      if (change === undefined) continue;
      oldest = change;
      if (setsHardStatus(change)) break;
    }
    return oldest;
  }

  const firstOf = <T>(found: Iterable<Record<string, unknown>>, convert: (row: TypedRow) => T | undefined) => {
    for (const row of rowsOf(found)) {
      const converted = convert(row);
      if (converted !== undefined) return converted;
    }
    return undefined;
  };

  function aroundRange(ref: string, { fromMs, toMs }: Interval): MutablePart {
    return {
      ref,
      states: [],
      edges: [],
      stateBefore: stateBefore(ref, fromMs),
      edgeBefore: firstOf(sql.edgesBefore.iterate(ref, fromMs), edgeOf),
      stateAfter: firstOf(sql.statesAfter.iterate(ref, toMs), stateTransitionOf),
      edgeAfter: firstOf(sql.edgesAfter.iterate(ref, toMs), edgeOf),
    };
  }

  /** Adds the records in the range after a position; returns the last position when there may be more. */
  function addRecords(part: MutablePart, { fromMs, toMs }: Interval, from: RecordPosition | undefined, limit: number) {
    const place = from ?? { atMs: fromMs, seq: -1 };
    let last: RecordPosition | undefined;
    let count = 0;
    for (const row of rowsOf(sql.within.iterate(part.ref, place.atMs, place.seq, toMs, limit))) {
      count += 1;
      last = { atMs: row.atMs, seq: row.seq };
      const change = row.type === "state" ? stateTransitionOf(row) : undefined;
      const edge = row.type === "state" ? undefined : edgeOf(row);
      if (change !== undefined) part.states.push(change);
      if (edge !== undefined) part.edges.push(edge);
    }
    return { count, last: count === limit ? last : undefined };
  }

  function objectRecords({ refs, range, from, limit }: ObjectRecordsRequest): ReaderResponses["object_records"] {
    const parts: MutablePart[] = [];
    let left = limit;
    for (const [index, ref] of refs.entries()) {
      if (left <= 0) return { parts, next: { index, from: undefined } };
      const part = aroundRange(ref, range);
      parts.push(part);
      const { count, last } = addRecords(part, range, index === 0 ? from : undefined, left);
      if (last !== undefined) return { parts, next: { index, from: last } };
      // The lookups around the range cost about as much as some records.
      left -= count + 4;
    }
    return { parts, next: undefined };
  }

  /** [SL4, SL9] A gap begins with the last record before it, or with the last sign of life noted in it. */
  function gapOf({ seq, atMs, json }: HistoryRow): Interval {
    const { stoppedAtMs = 0 } = json === undefined ? {} : (JSON.parse(json) as HistoryEntry);
    const previous = Number(sql.previousAt.get(seq)?.at_ms ?? 0);
    return { fromMs: Math.min(atMs, Math.max(stoppedAtMs, previous)), toMs: atMs };
  }

  return {
    objectRecords,
    coverage({ fromMs, toMs }) {
      const since = Number(sql.meta.get(historySinceMeta)?.value ?? 0);
      const first = sql.first.get()?.at_ms;
      return {
        sinceMs: since > 0 ? since : first === undefined ? undefined : Number(first),
        gaps: sql.gaps.all(fromMs).map((row) => gapOf(readHistoryRow(row))),
        configuredAtMs: sql.configured.all(toMs).map(({ at_ms }) => Number(at_ms)),
      };
    },
  };
}

/** Undefined for the record of a dropped result, which changed nothing. */
function stateTransitionOf(row: HistoryRow): StateTransition | undefined {
  if (row.json === undefined)
    return { atMs: row.atMs, status: undefined, previousStatus: undefined, stateType: "hard" };
  const { atMs, status, previousStatus, stateType = "hard" }: HistoryRecord = historyRecordOf(row);
  return status === undefined ? undefined : { atMs, status, previousStatus, stateType };
}

const edgeKinds: Readonly<Record<string, DowntimeEdge["kind"]>> = {
  downtime_start: "start",
  downtime_end: "end",
  downtime_cancelled: "cancelled",
};

/** Undefined for the deletion of a downtime that was not in effect, and for a damaged record. */
function edgeOf(row: HistoryRow): DowntimeEdge | undefined {
  if (row.json === undefined) return undefined;
  const { atMs, type, downtime } = historyRecordOf(row);
  const kind = edgeKinds[type];
  if (kind === undefined || (kind === "cancelled" && downtime?.inEffect !== true)) return undefined;
  return { atMs, kind, untilMs: downtime === undefined ? Number.MAX_SAFE_INTEGER : lastEndMs(downtime) };
}

const edgeTypes = `(${Object.keys(edgeKinds)
  .map((type) => `'${type}'`)
  .join(", ")})`;
const columns = historyRowColumns;

/** Statements that name their index, because the planner cannot know how few records an object has. */
const texts = {
  statesBefore: `SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms < ? AND type = 'state' ORDER BY at_ms DESC, seq DESC`,
  statesAfter: `SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms >= ? AND type = 'state' ORDER BY at_ms, seq`,
  edgesBefore: `SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms < ? AND type IN ${edgeTypes} ORDER BY at_ms DESC, seq DESC`,
  edgesAfter: `SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms >= ? AND type IN ${edgeTypes} ORDER BY at_ms, seq`,
  within: `SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND (at_ms, seq) > (?, ?) AND at_ms < ? AND (type = 'state' OR type IN ${edgeTypes})
    ORDER BY at_ms, seq LIMIT ?`,
  previousAt: "SELECT at_ms FROM history WHERE seq < ? ORDER BY seq DESC LIMIT 1",
  first: "SELECT at_ms FROM history INDEXED BY history_by_time ORDER BY at_ms, seq LIMIT 1",
  gaps: `SELECT ${columns} FROM history INDEXED BY history_by_type WHERE type = 'gap' AND at_ms >= ? ORDER BY at_ms`,
  configured: "SELECT at_ms FROM history INDEXED BY history_by_type WHERE type = 'config' AND at_ms < ? ORDER BY at_ms",
  meta: "SELECT value FROM meta WHERE name = ?",
} as const;

function statements(db: DatabaseSync) {
  const prepared = Object.entries(texts).map(([name, text]) => [name, db.prepare(text)] as const);
  return Object.fromEntries(prepared) as Record<keyof typeof texts, ReturnType<DatabaseSync["prepare"]>>;
}
