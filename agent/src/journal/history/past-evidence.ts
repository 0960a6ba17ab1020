import type { HistoryRecord, HistoryType } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import {
  downtimeRecordTypes,
  laterRecordTypes,
  type ObjectPast,
  type RecordedPast,
  type PastQuery,
  isStateRecord,
  statesNeededSinceMs,
} from "@realmwatch/shared/read-model/past/past-records";
import type { HistoryRow, ReaderResponses, RecordPosition } from "../threads/journal-protocol.ts";
import type { PastRequest } from "./past-records.ts";

export type PastRecordSource = {
  /** Asks the reading thread. */
  request<A extends PastRequest>(ask: A): Promise<Result<ReaderResponses[A["kind"]], Refusal>>;
  recordOf(row: HistoryRow): HistoryRecord;
};

/** Objects or records of one question to the thread: neither side is busy for longer than some ms with it. */
const slice = 500;
/** Notes of so many objects are looked up one by one. */
const fewRefs = 64;
/** With fewer changes than this they are walked through; with more each object is looked up. */
const fewChanges = 20_000;

/** What the journal knows around an instant, gathered slice by slice: whoever else reads history gets in between. */
export async function gatherPastEvidence(
  question: PastQuery,
  ownRealm: string,
  reader: PastRecordSource,
): Promise<Result<RecordedPast, Refusal>> {
  if (question.realm !== "" && question.realm !== ownRealm) return ok({ reaches: () => false, of: () => undefined });
  const gathering = new Gathering(question, reader);
  const refusal = await gathering.gather();
  if (refusal !== undefined) return fail(refusal);
  const reaches = await reader.request({ kind: "past_reaches", atMs: question.atMs });
  if (!reaches.ok) return reaches;
  return ok({ reaches: () => reaches.value, of: (_, ref) => gathering.pasts.get(ref) });
}

type Gathered = {
  -readonly [K in keyof ObjectPast]: ObjectPast[K] extends readonly HistoryRecord[] ? HistoryRecord[] : ObjectPast[K];
};

/** One question on its way. */
class Gathering {
  readonly pasts = new Map<string, Gathered>();
  readonly #atMs: number;
  readonly #refs: ReadonlySet<string>;
  readonly #reader: PastRecordSource;

  constructor({ atMs, refs }: PastQuery, reader: PastRecordSource) {
    this.#atMs = atMs;
    this.#refs = refs;
    this.#reader = reader;
  }

  /** States last, because whose past they are looked up for depends on the rest. */
  async gather(): Promise<Refusal | undefined> {
    const refusal = await (this.#refs.size <= fewRefs ? this.#lookUpNotes() : this.#walkNotes());
    if (refusal !== undefined) return refusal;
    for (const { later, downtimes } of this.pasts.values()) {
      later.sort(bySeq);
      downtimes.sort(bySeq);
    }
    return this.#lookUpStates();
  }

  async #lookUpNotes(): Promise<Refusal | undefined> {
    const found = await this.#reader.request({ kind: "past_notes", atMs: this.#atMs, refs: [...this.#refs] });
    if (!found.ok) return found.error;
    for (const row of found.value.later) this.#take(this.#reader.recordOf(row), "later");
    for (const row of found.value.before) this.#take(this.#reader.recordOf(row), "downtimes");
    return undefined;
  }

  async #walkNotes(): Promise<Refusal | undefined> {
    const walks = [
      ...laterRecordTypes.map((type) => ({ type, side: "later" as const })),
      ...downtimeRecordTypes.map((type) => ({ type, side: "before" as const })),
    ];
    for (const { type, side } of walks) {
      const refusal = await this.#walk(type, side);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  async #walk(type: HistoryType, side: "later" | "before"): Promise<Refusal | undefined> {
    let from: RecordPosition | undefined;
    do {
      const asked = { kind: "past_typed", type, side, atMs: this.#atMs, from, limit: slice } as const;
      const found: Result<ReaderResponses["past_typed"], Refusal> = await this.#reader.request(asked);
      if (!found.ok) return found.error;
      for (const row of found.value.rows)
        this.#take(this.#reader.recordOf(row), side === "later" ? "later" : "downtimes");
      from = found.value.next;
    } while (from !== undefined);
    return undefined;
  }

  #take(record: HistoryRecord, list: "later" | "downtimes"): void {
    const ref = record.key && refOf(record.key);
    if (ref !== undefined && this.#refs.has(ref)) this.#pastOf(ref)[list].push(record);
  }

  #pastOf(ref: string): Gathered {
    const known = this.pasts.get(ref);
    if (known !== undefined) return known;
    const past: Gathered = { before: [], downtimes: [], nextState: undefined, later: [] };
    this.pasts.set(ref, past);
    return past;
  }

  /**
   * Of those that changed, of those with an acknowledgement that another one may have been there before, and of those
   * with downtimes that waited for a problem.
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
      const refused = await this.#lookFurtherBack(ref, sinceMs);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  async #lookUp(refs: readonly string[], wanted: ReadonlySet<string>): Promise<Refusal | undefined> {
    for (let at = 0; at < refs.length; at += slice) {
      const part = refs.slice(at, at + slice);
      const lookBack = part.filter((ref) => wanted.has(ref));
      const found = await this.#reader.request({ kind: "past_states", atMs: this.#atMs, refs: part, lookBack });
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

  /** Goes on where the records before end that tell what held at the instant. */
  async #lookFurtherBack(ref: string, sinceMs: number): Promise<Refusal | undefined> {
    const { before } = this.#pastOf(ref);
    for (let last = before.at(-1); last !== undefined && last.atMs >= sinceMs; ) {
      const asked = { kind: "past_states", atMs: last.atMs - 1, refs: [ref], lookBack: [ref] } as const;
      const found: Result<ReaderResponses["past_states"], Refusal> = await this.#reader.request(asked);
      if (!found.ok) return found.error;
      const older = found.value.flatMap((around) => around.before.map(this.#reader.recordOf));
      before.push(...older);
      last = older.at(-1);
    }
    return undefined;
  }

  /** Those that may have changed their state after the instant; few changes are walked through. */
  async #changed(): Promise<Result<Iterable<string>, Refusal>> {
    if (this.#refs.size <= slice) return ok(this.#refs);
    const changed = await this.#reader.request({ kind: "past_changed", atMs: this.#atMs, limit: fewChanges });
    if (!changed.ok) return changed;
    return ok(changed.value?.filter((ref) => this.#refs.has(ref)) ?? this.#refs);
  }
}

const bySeq = (a: HistoryRecord, b: HistoryRecord): number => a.seq - b.seq;
const isAcknowledging = ({ type }: HistoryRecord): boolean => type === "acknowledged";
