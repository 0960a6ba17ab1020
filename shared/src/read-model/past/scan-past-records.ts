import type { HistoryRecord, HistoryType } from "../../model/history.ts";
import { keyOf, type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok } from "../../model/result.ts";
import { compareHistory } from "../history/history-position.ts";
import type { HistorySource } from "../history/history-source.ts";
import type { HistoryQuery } from "../read-model.ts";
import {
  beforeRecordTypes,
  couldBeInEffectAt,
  downtimeRecordTypes,
  isCompleteBefore,
  isStateRecord,
  laterRecordTypes,
  type ObjectPast,
  type PastSource,
  statesNeededSinceMs,
} from "./past-records.ts";

type GatheredRecords = {
  -readonly [K in keyof ObjectPast]: ObjectPast[K] extends readonly HistoryRecord[] ? HistoryRecord[] : ObjectPast[K];
};

const nothingGathered = (): GatheredRecords => ({ before: [], downtimes: [], nextState: undefined, later: [] });

const types = [...new Set([...beforeRecordTypes, ...laterRecordTypes])];
/** Maximum number of objects that are queried one by one. */
const fewRefs = 8;
const pageSize = 1_000;

/**
 * Reads records around a past time by a scan of the whole history, newest first. Suitable for a short history, such as
 * the aggregator's recent history. It reaches back as far as the oldest record.
 */
export function scanPastRecords(history: HistorySource, yieldToEventLoop: () => Promise<void>): PastSource {
  const scan = (query: HistoryQuery, take: (record: HistoryRecord) => void): Promise<Refusal | undefined> =>
    scanHistory({ history, yieldToEventLoop }, query, take);

  return {
    async pastRecords({ atMs, realm, refs }) {
      const pasts = new Map<string, GatheredRecords>();
      const realms = new Set<string>();
      const take = (record: HistoryRecord): void => {
        realms.add(record.realm);
        const ref = record.key && refOf(record.key);
        if (ref === undefined || !refs.has(ref)) return;
        gather(pasts.getOrInsertComputed(objectId(record.realm, ref), nothingGathered), record, atMs);
      };
      const keys = refs.size <= fewRefs ? [...refs].map(keyOf) : [undefined];
      for (const key of keys) {
        const refusal = await scan(queryFor(realm, key), take);
        if (refusal !== undefined) return fail(refusal);
      }
      for (const past of pasts.values()) {
        past.later.reverse();
        past.downtimes.reverse();
      }
      const waiting = objectsNeedingOlder(pasts);
      const takeOlder = (record: HistoryRecord): void => {
        const past = record.key && waiting.pasts.get(objectId(record.realm, refOf(record.key)));
        if (past !== undefined) gatherOlder(past, record);
      };
      for (const key of waiting.pasts.size > 0 ? keys : []) {
        const older = {
          ...queryFor(realm, key),
          types: beforeRecordTypes,
          sinceMs: waiting.sinceMs,
          untilMs: atMs + 1,
        };
        const refusal = await scan(older, takeOlder);
        if (refusal !== undefined) return fail(refusal);
      }
      const reached = await realmsReachingBack(history, realms, atMs);
      return ok({ reachesBack: (of) => reached.has(of), of: (of, ref) => pasts.get(objectId(of, ref)) });
    },
  };
}

/** Takes all records that match, newest first. */
async function scanHistory(
  { history, yieldToEventLoop }: { readonly history: HistorySource; yieldToEventLoop(): Promise<void> },
  query: HistoryQuery,
  take: (record: HistoryRecord) => void,
): Promise<Refusal | undefined> {
  for (let pageToken = ""; ; ) {
    const page = await history.history({ ...query, pageToken });
    if (!page.ok) return page.error;
    const [unread] = page.value.unread ?? [];
    // A past row without the realm's records would be a guess.
    if (unread !== undefined) return { kind: "unavailable", what: unread.why };
    page.value.records.forEach(take);
    pageToken = page.value.nextPageToken;
    if (pageToken === "") return undefined;
    await yieldToEventLoop();
  }
}

/** Realms that have a record at the time or before. */
async function realmsReachingBack(
  history: HistorySource,
  realms: Iterable<string>,
  atMs: number,
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  for (const realm of realms) {
    const query = { ...queryFor(realm, undefined), types: [], untilMs: atMs + 1, pageSize: 1 };
    const page = await history.history(query);
    if (page.ok && page.value.records.length > 0) reached.add(realm);
  }
  return reached;
}

const objectId = (realm: string, ref: string): string => `${realm}\0${ref}`;

/** Objects that need older state changes than `gather` took, by id. `sinceMs`: the earliest time needed, Unix ms. */
function objectsNeedingOlder(pasts: ReadonlyMap<string, GatheredRecords>) {
  const waiting = new Map<string, GatheredRecords>();
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const [name, past] of pasts) {
    const last = past.before.at(-1);
    const sinceMs = statesNeededSinceMs(past.downtimes);
    if (sinceMs === undefined || last === undefined || last.atMs < sinceMs) continue;
    waiting.set(name, past);
    oldestMs = Math.min(oldestMs, sinceMs);
  }
  return { pasts: waiting, sinceMs: oldestMs };
}

const queryFor = (realm: string, key: ObjectKey | undefined): HistoryQuery => ({
  key,
  realm,
  types,
  selector: undefined,
  sinceMs: undefined,
  untilMs: undefined,
  pageSize,
  actor: "",
  contact: "",
  search: "",
  pageToken: "",
});

const laterSet: ReadonlySet<HistoryType> = new Set(laterRecordTypes);
const beforeSet: ReadonlySet<HistoryType> = new Set(beforeRecordTypes);
const downtimeSet: ReadonlySet<HistoryType> = new Set(downtimeRecordTypes);

/** Adds a record; records are passed newest first. */
function gather(past: GatheredRecords, record: HistoryRecord, atMs: number): void {
  if (record.atMs > atMs) {
    if (isStateRecord(record)) past.nextState = record;
    else if (laterSet.has(record.type)) past.later.push(record);
    return;
  }
  if (downtimeSet.has(record.type)) {
    if (couldBeInEffectAt(record, atMs)) past.downtimes.push(record);
  } else if (
    beforeSet.has(record.type) &&
    (record.type !== "state" || isStateRecord(record)) &&
    !isCompleteBefore(past.before)
  )
    past.before.push(record);
}

/** Adds a state record that is older than those gathered so far. */
function gatherOlder(past: GatheredRecords, record: HistoryRecord): void {
  const last = past.before.at(-1);
  const isOlder = last === undefined || compareHistory(record, last) < 0;
  if (isOlder && (record.type !== "state" || isStateRecord(record))) past.before.push(record);
}
