import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import type { ObjectRecords } from "@realmwatch/shared/availability/object-records";
import type { Interval } from "@realmwatch/shared/calendar/interval";
import { type AuditRecord, auditRecordOf, type StoredAuditRecord } from "@realmwatch/shared/model/audit";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { ArgumentsOf, ResultOf } from "@realmwatch/shared/platform/process/thread-channel";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import type { PastQuery, RecordedPast } from "@realmwatch/shared/read-model/past/past-records";
import type { HistoryAnswer, HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import type { StoredAlert } from "./alert-table.ts";
import type { AvailabilityReader } from "./history/availability-reader.ts";
import { gatherRecordedPast, type PastRecordSource } from "./history/gather-past.ts";
import { historyPageOf, historyPageRequest, readHistoryPage } from "./history/history-page.ts";
import { type HistoryRow, historyRecordOf, type RecordPosition } from "./history/history-reader.ts";
import type { FindMatchingRefs } from "./journal-contract.ts";
import type { JournalReader } from "./threads/journal-reader.ts";

/** Most history queries that may be pending; further ones are refused. */
const maxPendingReads = 1_000;

/** Thread that reads a journal. */
export type ReaderThread = Pick<ThreadClient<JournalReader>, "request" | "pending" | "terminate"> & {
  /** Reads another file of the same name from the next query on. */
  reopen(): void;
};

export type JournalQueriesOptions = {
  readonly realm: string;
  /** Called with the name of each damaged record that is read, such as `history record 7`. */
  readonly onDamagedRecord: (what: string) => void;
};

/** Queries of a journal, which run in a thread of their own. Methods never reject and never wait for a write. */
export class JournalQueries {
  readonly #options: JournalQueriesOptions;
  readonly #reader: ReaderThread;
  #readError = "";

  constructor(options: JournalQueriesOptions, reader: ReaderThread) {
    this.#options = options;
    this.#reader = reader;
  }

  /** Reads the journal by its name again, where another file was put in its place. */
  reopen(): void {
    this.#reader.reopen();
  }

  /** Reason why the last query failed; empty when it succeeded. */
  get readError(): string {
    return this.#readError;
  }

  /** Reads audit records since `sinceMs`, or all, newest first. `unavailable`: the disk cannot be read. */
  async auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>> {
    const rows = await this.#read("audit", query.sinceMs, query.limit);
    return rows.ok ? ok(rows.value.map((row) => this.#auditRecord(row))) : rows;
  }

  /**
   * Reads a page of history, newest first. Never waits for a write. `malformed`: the page token is invalid.
   *
   * @param refsMatching default: a query with a selector has no result
   */
  async history(
    query: HistoryQuery,
    refsMatching: FindMatchingRefs = () => [],
  ): Promise<Result<HistoryAnswer, Refusal>> {
    const page = historyPageRequest(query, { realm: this.#options.realm, refsMatching });
    if (!page.ok) return page;
    if (page.value === "nothing") return ok({ records: [], nextPageToken: "" });
    const rows = await readHistoryPage(page.value, (slice) => this.#read("page", slice));
    return rows.ok ? ok(historyPageOf(rows.value, page.value.limit - 1, this.#historyRecord)) : rows;
  }

  /** Reads the records around an instant, in slices. Never waits for a write. */
  pastRecords(question: PastQuery): Promise<Result<RecordedPast, Refusal>> {
    return gatherRecordedPast(question, this.#options.realm, {
      read: this.#read as PastRecordSource["read"],
      recordOf: this.#historyRecord,
    });
  }

  /** Reads state changes and downtimes of objects around a range, in slices. Never waits for a write. */
  objectRecords(
    refs: readonly string[],
    range: Interval,
  ): Promise<Result<ReadonlyMap<string, ObjectRecords>, Refusal>> {
    return gatherObjectRecords({ refs, range }, (request) => this.#read("objectRecords", request));
  }

  /** Reads the times around a range for which history is complete. */
  coverage(range: Interval): Promise<Result<HistoryCoverage, Refusal>> {
    return this.#read("coverage", range);
  }

  /**
   * Reads records with a greater seq, oldest first; fewer than `limit` at the end of the history. The first seq is
   * not the next one when retention removed records that were not read. Empty also when the disk cannot be read.
   */
  async historyAfter(seq: number, limit: number): Promise<readonly HistoryRecord[]> {
    const rows = await this.#read("after", seq, limit);
    return rows.ok ? rows.value.map(this.#historyRecord) : [];
  }

  /** Reads the alerts that fire, in the order in which they were taken. Never waits for a write. */
  async firingAlerts(): Promise<Result<readonly StoredAlert[], Refusal>> {
    const alerts: StoredAlert[] = [];
    for (let afterId: number | undefined = 0; afterId !== undefined; ) {
      const slice: Result<ResultOf<JournalReader["alerts"]>, Refusal> = await this.#read("alerts", afterId);
      if (!slice.ok) return slice;
      for (const alert of slice.value.alerts) alerts.push(alert);
      afterId = slice.value.nextAfterId;
    }
    return ok(alerts);
  }

  /** Ends the thread that reads, after the queries that it has. */
  async closeReader(): Promise<void> {
    await Promise.allSettled([this.#reader.request("close")]);
    await this.#reader.terminate();
  }

  readonly #read = async <Kind extends keyof JournalReader>(
    kind: Kind,
    ...args: ArgumentsOf<JournalReader[Kind]>
  ): Promise<Result<ResultOf<JournalReader[Kind]>, Refusal>> => {
    if (this.#reader.pending() >= maxPendingReads)
      return fail({ kind: "exhausted", what: "too many history queries are pending" });
    try {
      const response = await this.#reader.request(kind, ...args);
      this.#readError = "";
      return ok(response);
    } catch (error) {
      this.#readError = `the journal cannot be read: ${errorText(error)}`;
      return fail({ kind: "unavailable", what: this.#readError });
    }
  };

  readonly #historyRecord = (row: HistoryRow): HistoryRecord => {
    if (row.json === undefined) this.#options.onDamagedRecord(`history record ${row.seq}`);
    return historyRecordOf(row);
  };

  #auditRecord(row: StoredAuditRecord): AuditRecord {
    if (row.json === undefined) this.#options.onDamagedRecord(`audit record ${row.seq}`);
    return auditRecordOf(row);
  }
}

type ReadObjectRecords = (
  request: Parameters<AvailabilityReader["objectRecords"]>[0],
) => Promise<Result<ReturnType<AvailabilityReader["objectRecords"]>, Refusal>>;

/** Objects of one request: the list is sent to the reader thread. */
const refsPerRequest = 200;
/** Records of one request, which occupies the reader thread for about 20 ms. */
const recordsPerRequest = 1_500;

/**
 * Reads state changes and downtimes of objects in slices, between which the reader thread serves other requests.
 *
 * @returns records by reference, for each of `refs`
 */
async function gatherObjectRecords(
  { refs, range }: { readonly refs: readonly string[]; readonly range: Interval },
  read: ReadObjectRecords,
): Promise<Result<ReadonlyMap<string, ObjectRecords>, Refusal>> {
  const records = new Map<string, ObjectRecords>();
  let from: RecordPosition | undefined;
  for (let at = 0; at < refs.length; ) {
    const part = refs.slice(at, at + refsPerRequest);
    const answer = await read({ refs: part, range, from, limit: recordsPerRequest });
    if (!answer.ok) return answer;
    for (const { ref, ...found } of answer.value.parts) records.set(ref, joined(records.get(ref), found));
    at += answer.value.next?.index ?? part.length;
    from = answer.value.next?.from;
  }
  return ok(records);
}

/** Adds a further part of an object's records. */
const joined = (known: ObjectRecords | undefined, next: ObjectRecords): ObjectRecords =>
  known === undefined
    ? next
    : { ...known, states: [...known.states, ...next.states], edges: [...known.edges, ...next.edges] };
