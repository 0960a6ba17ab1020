import type { HistoryRecord, HistoryType } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import {
  downtimeRecordTypes,
  isStateRecord,
  laterRecordTypes,
  type ObjectPast,
  type PastQuery,
  type RecordedPast,
  statesNeededSinceMs,
} from "@realmwatch/shared/read-model/past/past-records";
import type { HistoryRow, RecordPosition } from "./history-reader.ts";
import type { PastRecordReader } from "./past-record-reader.ts";

export type PastRecordSource = {
  /** Has the method of a `PastRecordReader` called, by the reader thread. */
  read<Kind extends keyof PastRecordReader>(
    kind: Kind,
    ...args: Parameters<PastRecordReader[Kind]>
  ): Promise<PastAnswer<Kind>>;
  recordOf(row: HistoryRow): HistoryRecord;
};

type PastAnswer<Kind extends keyof PastRecordReader> = Result<ReturnType<PastRecordReader[Kind]>, Refusal>;

/** Objects or records of one request, so that it occupies neither thread for more than some ms. */
const sliceSize = 500;
/** Most objects whose notes are looked up by object; above, all notes are read by type. */
const fewRefs = 64;
/** Most state changes that are read to find the changed objects; above, each object is looked up. */
const fewChanges = 20_000;

/** Gathers the records around an instant in slices, between which the reader thread serves other requests. */
export async function gatherRecordedPast(
  query: PastQuery,
  ownRealm: string,
  reader: PastRecordSource,
): Promise<Result<RecordedPast, Refusal>> {
  if (query.realm !== "" && query.realm !== ownRealm) return ok({ reachesBack: () => false, of: () => undefined });
  const gatherer = new PastGatherer(query, reader);
  const refusal = await gatherer.gather();
  if (refusal !== undefined) return fail(refusal);
  const reaches = await reader.read("pastReaches", query.atMs);
  if (!reaches.ok) return reaches;
  return ok({ reachesBack: () => reaches.value, of: (_, ref) => gatherer.pasts.get(ref) });
}

type MutablePast = {
  -readonly [K in keyof ObjectPast]: ObjectPast[K] extends readonly HistoryRecord[] ? HistoryRecord[] : ObjectPast[K];
};

const noPast = (): MutablePast => ({ before: [], downtimes: [], nextState: undefined, later: [] });

/** State of one running query. */
class PastGatherer {
  readonly pasts = new Map<string, MutablePast>();
  readonly #atMs: number;
  readonly #refs: ReadonlySet<string>;
  readonly #reader: PastRecordSource;

  constructor({ atMs, refs }: PastQuery, reader: PastRecordSource) {
    this.#atMs = atMs;
    this.#refs = refs;
    this.#reader = reader;
  }

  /** Reads notes, then states: the notes determine the objects whose earlier states are needed. */
  async gather(): Promise<Refusal | undefined> {
    const refusal = await (this.#refs.size <= fewRefs ? this.#lookUpNotes() : this.#readNotesByType());
    if (refusal !== undefined) return refusal;
    for (const { later, downtimes } of this.pasts.values()) {
      later.sort(bySeq);
      downtimes.sort(bySeq);
    }
    return this.#lookUpStates();
  }

  async #lookUpNotes(): Promise<Refusal | undefined> {
    const found = await this.#reader.read("pastNotes", this.#atMs, [...this.#refs]);
    if (!found.ok) return found.error;
    for (const row of found.value.later) this.#add(this.#reader.recordOf(row), "later");
    for (const row of found.value.before) this.#add(this.#reader.recordOf(row), "downtimes");
    return undefined;
  }

  async #readNotesByType(): Promise<Refusal | undefined> {
    const reads = [
      ...laterRecordTypes.map((type) => ({ type, side: "later" as const })),
      ...downtimeRecordTypes.map((type) => ({ type, side: "before" as const })),
    ];
    for (const { type, side } of reads) {
      const refusal = await this.#readType(type, side);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  async #readType(type: HistoryType, side: "later" | "before"): Promise<Refusal | undefined> {
    let from: RecordPosition | undefined;
    do {
      const request = { type, side, atMs: this.#atMs, from, limit: sliceSize };
      const found: PastAnswer<"pastTyped"> = await this.#reader.read("pastTyped", request);
      if (!found.ok) return found.error;
      for (const row of found.value.rows)
        this.#add(this.#reader.recordOf(row), side === "later" ? "later" : "downtimes");
      from = found.value.next;
    } while (from !== undefined);
    return undefined;
  }

  #add(record: HistoryRecord, list: "later" | "downtimes"): void {
    const ref = record.key && refOf(record.key);
    if (ref !== undefined && this.#refs.has(ref)) this.#pastOf(ref)[list].push(record);
  }

  #pastOf(ref: string): MutablePast {
    return this.pasts.getOrInsertComputed(ref, noPast);
  }

  /**
   * Reads the states of objects that changed, of objects with a later acknowledgement, which may have replaced an
   * earlier one, and of objects with downtimes that waited for a problem.
   */
  async #lookUpStates(): Promise<Refusal | undefined> {
    const waiting = new Map<string, number>();
    const wanted = new Set<string>();
    for (const [ref, { later, downtimes }] of this.pasts) {
      const sinceMs = statesNeededSinceMs(downtimes);
      if (sinceMs !== undefined) waiting.set(ref, sinceMs);
      if (sinceMs !== undefined || later.some(isAcknowledging)) wanted.add(ref);
    }
    const changed = await this.#changed();
    if (!changed.ok) return changed.error;
    const refusal = await this.#lookUp([...new Set([...wanted, ...changed.value])], wanted);
    if (refusal !== undefined) return refusal;
    for (const [ref, sinceMs] of waiting) {
      const refused = await this.#readEarlierStates(ref, sinceMs);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  async #lookUp(refs: readonly string[], wanted: ReadonlySet<string>): Promise<Refusal | undefined> {
    for (let at = 0; at < refs.length; at += sliceSize) {
      const part = refs.slice(at, at + sliceSize);
      const lookBack = part.filter((ref) => wanted.has(ref));
      const found = await this.#reader.read("pastStates", this.#atMs, part, lookBack);
      if (!found.ok) return found.error;
      for (const { ref, next, before } of found.value) {
        const nextState = next && this.#reader.recordOf(next);
        const past = this.#pastOf(ref);
        past.nextState = nextState && isStateRecord(nextState) ? nextState : undefined;
        past.before = before.map(this.#reader.recordOf);
      }
    }
    return undefined;
  }

  /** Reads further state records back to `sinceMs`, beyond those that determine the state at the instant. */
  async #readEarlierStates(ref: string, sinceMs: number): Promise<Refusal | undefined> {
    const { before } = this.#pastOf(ref);
    for (let last = before.at(-1); last !== undefined && last.atMs >= sinceMs; ) {
      const found: PastAnswer<"pastStates"> = await this.#reader.read("pastStates", last.atMs - 1, [ref], [ref]);
      if (!found.ok) return found.error;
      const older = found.value.flatMap((around) => around.before.map(this.#reader.recordOf));
      before.push(...older);
      last = older.at(-1);
    }
    return undefined;
  }

  /** References of the objects that may have changed their state after the instant. */
  async #changed(): Promise<Result<Iterable<string>, Refusal>> {
    if (this.#refs.size <= sliceSize) return ok(this.#refs);
    const changed = await this.#reader.read("pastChanged", this.#atMs, fewChanges);
    if (!changed.ok) return changed;
    return ok(changed.value?.filter((ref) => this.#refs.has(ref)) ?? this.#refs);
  }
}

const bySeq = (a: HistoryRecord, b: HistoryRecord): number => a.seq - b.seq;
const isAcknowledging = ({ type }: HistoryRecord): boolean => type === "acknowledged";
