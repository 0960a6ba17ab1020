import type { DatabaseSync } from "node:sqlite";
import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import type { DowntimeEdge, ObjectRecords, StateTransition } from "@realmwatch/shared/availability/object-records";
import { setsHardStatus } from "@realmwatch/shared/availability/status-pieces";
import type { Interval } from "@realmwatch/shared/calendar/interval";
import type { HistoryEntry, HistoryRecord } from "@realmwatch/shared/model/history";
import { lastEndMs } from "@realmwatch/shared/read-model/history/advance-downtimes";
import { historySinceMeta } from "../schema/journal-files.ts";
import {
  type HistoryRow,
  historyRecordOf,
  historyRowColumns,
  type RecordPosition,
  readHistoryRow,
} from "./history-reader.ts";

type ObjectRecordsRequest = {
  readonly refs: readonly string[];
  readonly range: Interval;
  /** Position in the records of the first object after which reading continues. */
  readonly from: RecordPosition | undefined;
  /** Approximate number of records after which the response is divided. */
  readonly limit: number;
};

type TypedRow = HistoryRow & { readonly type: string };
/** Records of one object around a range; an object with many records is divided into several parts. */
type ObjectRecordsPart = { readonly ref: string } & {
  -readonly [K in keyof ObjectRecords]: ObjectRecords[K] extends readonly (infer T)[] ? T[] : ObjectRecords[K];
};

/** Reads the records from which availability is computed, reduced to what the computation needs. */
export class AvailabilityReader {
  readonly #sql: ReturnType<typeof availabilityStatements>;

  constructor(db: DatabaseSync) {
    this.#sql = availabilityStatements(db);
  }

  /**
   * State changes and downtimes of objects. `next`: index of the next object, and the position within it; undefined when
   * all records were read.
   */
  objectRecords({ refs, range, from, limit }: ObjectRecordsRequest): {
    readonly parts: readonly ObjectRecordsPart[];
    readonly next: { readonly index: number; readonly from: RecordPosition | undefined } | undefined;
  } {
    const parts: ObjectRecordsPart[] = [];
    let left = limit;
    for (const [index, ref] of refs.entries()) {
      if (left <= 0) return { parts, next: { index, from: undefined } };
      const part = this.#aroundRange(ref, range);
      parts.push(part);
      const { count, last } = this.#addRecords(part, range, index === 0 ? from : undefined, left);
      if (last !== undefined) return { parts, next: { index, from: last } };
      // The lookups around the range cost about as much as some records.
      left -= count + 4;
    }
    return { parts, next: undefined };
  }

  coverage({ fromMs, toMs }: Interval): HistoryCoverage {
    const since = Number(this.#sql.meta.get(historySinceMeta)?.value ?? 0);
    const first = this.#sql.first.get()?.at_ms;
    return {
      sinceMs: since > 0 ? since : first === undefined ? undefined : Number(first),
      gaps: this.#sql.gaps.all(fromMs).map((row) => this.#gapOf(readHistoryRow(row))),
      configuredAtMs: this.#sql.configured.all(toMs).map(({ at_ms }) => Number(at_ms)),
    };
  }

  #aroundRange(ref: string, { fromMs, toMs }: Interval): ObjectRecordsPart {
    const sql = this.#sql;
    return {
      ref,
      states: [],
      edges: [],
      stateBefore: lastHardState(sql.statesBefore.iterate(ref, fromMs)),
      edgeBefore: firstOf(sql.edgesBefore.iterate(ref, fromMs), edgeOf),
      stateAfter: firstOf(sql.statesAfter.iterate(ref, toMs), stateTransitionOf),
      edgeAfter: firstOf(sql.edgesAfter.iterate(ref, toMs), edgeOf),
    };
  }

  /** Adds the records in the range after a position; returns the last position when there may be more. */
  #addRecords(part: ObjectRecordsPart, { fromMs, toMs }: Interval, from: RecordPosition | undefined, limit: number) {
    const place = from ?? { atMs: fromMs, seq: -1 };
    let last: RecordPosition | undefined;
    let count = 0;
    for (const row of rowsOf(this.#sql.within.iterate(part.ref, place.atMs, place.seq, toMs, limit))) {
      count += 1;
      last = { atMs: row.atMs, seq: row.seq };
      const change = row.type === "state" ? stateTransitionOf(row) : undefined;
      const edge = row.type === "state" ? undefined : edgeOf(row);
      if (change !== undefined) part.states.push(change);
      if (edge !== undefined) part.edges.push(edge);
    }
    return { count, last: count === limit ? last : undefined };
  }

  /** [SL4, SL9] A gap begins with the last record before it, or with the last sign of life noted in it. */
  #gapOf({ seq, atMs, json }: HistoryRow): Interval {
    const { stoppedAtMs = 0 } = json === undefined ? {} : (JSON.parse(json) as HistoryEntry);
    const previous = Number(this.#sql.previousAt.get(seq)?.at_ms ?? 0);
    return { fromMs: Math.min(atMs, Math.max(stoppedAtMs, previous)), toMs: atMs };
  }
}

type FoundRows = Iterable<Record<string, unknown>>;

function* rowsOf(found: FoundRows): Iterable<TypedRow> {
  for (const row of found) yield { ...readHistoryRow(row), type: String(row.type) };
}

/** The newest record that set the hard status; without one, the oldest record. */
function lastHardState(newestFirst: FoundRows): StateTransition | undefined {
  let oldest: StateTransition | undefined;
  for (const row of rowsOf(newestFirst)) {
    const change = stateTransitionOf(row);
    if (change === undefined) continue;
    oldest = change;
    if (setsHardStatus(change)) break;
  }
  return oldest;
}

function firstOf<T>(found: FoundRows, convert: (row: TypedRow) => T | undefined): T | undefined {
  for (const row of rowsOf(found)) {
    const converted = convert(row);
    if (converted !== undefined) return converted;
  }
  return undefined;
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
const availabilityStatements = (db: DatabaseSync) => ({
  statesBefore: db.prepare(`SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms < ? AND type = 'state' ORDER BY at_ms DESC, seq DESC`),
  statesAfter: db.prepare(`SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms >= ? AND type = 'state' ORDER BY at_ms, seq`),
  edgesBefore: db.prepare(`SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms < ? AND type IN ${edgeTypes} ORDER BY at_ms DESC, seq DESC`),
  edgesAfter: db.prepare(`SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND at_ms >= ? AND type IN ${edgeTypes} ORDER BY at_ms, seq`),
  within: db.prepare(`SELECT ${columns} FROM history INDEXED BY history_by_ref
    WHERE ref = ? AND (at_ms, seq) > (?, ?) AND at_ms < ? AND (type = 'state' OR type IN ${edgeTypes})
    ORDER BY at_ms, seq LIMIT ?`),
  previousAt: db.prepare("SELECT at_ms FROM history WHERE seq < ? ORDER BY seq DESC LIMIT 1"),
  first: db.prepare("SELECT at_ms FROM history INDEXED BY history_by_time ORDER BY at_ms, seq LIMIT 1"),
  gaps: db.prepare(
    `SELECT ${columns} FROM history INDEXED BY history_by_type WHERE type = 'gap' AND at_ms >= ? ORDER BY at_ms`,
  ),
  configured: db.prepare(
    "SELECT at_ms FROM history INDEXED BY history_by_type WHERE type = 'config' AND at_ms < ? ORDER BY at_ms",
  ),
  meta: db.prepare("SELECT value FROM meta WHERE name = ?"),
});
