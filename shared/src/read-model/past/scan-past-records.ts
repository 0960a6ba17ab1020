import type { HistoryRecord, HistoryType } from "../../model/history.ts";
import { keyOf, type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok } from "../../model/result.ts";
import { compareHistory } from "../history/history-filter.ts";
import type { HistorySource } from "../history/history-source.ts";
import {
  beforeRecordTypes,
  couldBeInEffectAt,
  downtimeRecordTypes,
  isCompleteBefore,
  laterRecordTypes,
  type ObjectPast,
  type PastSource,
  isStateRecord,
  statesNeededSinceMs,
} from "./past-records.ts";
import type { HistoryQuery } from "../read-model.ts";

type GatheredRecords = {
  -readonly [K in keyof ObjectPast]: ObjectPast[K] extends readonly HistoryRecord[] ? HistoryRecord[] : ObjectPast[K];
};

const types = [...new Set([...beforeRecordTypes, ...laterRecordTypes])];
/** Up to so many objects are asked for one by one. */
const fewRefs = 8;
const pageSize = 1_000;

/**
 * What history knows around an instant, found by reading all of it, newest first: for a history that is short, as a
 * mirror of the recent past is. It reaches back as far as the oldest record that is there.
 */
export function scanPastRecords(history: HistorySource, yieldToEventLoop: () => Promise<void>): PastSource {
  async function scan(query: HistoryQuery, take: (record: HistoryRecord) => void): Promise<Refusal | undefined> {
    for (let pageToken = ""; ; ) {
      const page = await history.history({ ...query, pageToken });
      if (!page.ok) return page.error;
      page.value.records.forEach(take);
      pageToken = page.value.nextPageToken;
      if (pageToken === "") return undefined;
      await yieldToEventLoop();
    }
  }

  /** Those of `realms` that have a record at the instant or before. */
  async function realmsReachingBack(realms: Iterable<string>, atMs: number): Promise<ReadonlySet<string>> {
    const reached = new Set<string>();
    for (const realm of realms) {
      const query = { ...queryFor(realm, undefined), types: [], untilMs: atMs + 1, pageSize: 1 };
      const page = await history.history(query);
      if (page.ok && page.value.records.length > 0) reached.add(realm);
    }
    return reached;
  }

  return {
    async pastRecords({ atMs, realm, refs }) {
      const pasts = new Map<string, GatheredRecords>();
      const realms = new Set<string>();
      const take = (record: HistoryRecord): void => {
        realms.add(record.realm);
        const ref = record.key && refOf(record.key);
        if (ref === undefined || !refs.has(ref)) return;
        const name = objectId(record.realm, ref);
        const past = pasts.get(name) ?? { before: [], downtimes: [], nextState: undefined, later: [] };
        gather(past, record, atMs);
        pasts.set(name, past);
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
        const older = { ...queryFor(realm, key), types: beforeRecordTypes, sinceMs: waiting.sinceMs, untilMs: atMs + 1 };
        const refusal = await scan(older, takeOlder);
        if (refusal !== undefined) return fail(refusal);
      }
      const reached = await realmsReachingBack(realms, atMs);
      return ok({ reaches: (of) => reached.has(of), of: (of, ref) => pasts.get(objectId(of, ref)) });
    },
  };
}

const objectId = (realm: string, ref: string): string => `${realm}\0${ref}`;

/** Those of which older states are needed than `gather` took, by name. `sinceMs`: the oldest of all, Unix ms. */
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
  pageToken: "",
});

const laterSet: ReadonlySet<HistoryType> = new Set(laterRecordTypes);
const beforeSet: ReadonlySet<HistoryType> = new Set(beforeRecordTypes);
const downtimeSet: ReadonlySet<HistoryType> = new Set(downtimeRecordTypes);

/** Takes a record that is older than those before it. */
function gather(past: GatheredRecords, record: HistoryRecord, atMs: number): void {
  if (record.atMs > atMs) {
    if (isStateRecord(record)) past.nextState = record;
    else if (laterSet.has(record.type)) past.later.push(record);
    return;
  }
  if (downtimeSet.has(record.type)) {
    if (couldBeInEffectAt(record, atMs)) past.downtimes.push(record);
  } else if (beforeSet.has(record.type) && (record.type !== "state" || isStateRecord(record)) && !isCompleteBefore(past.before))
    past.before.push(record);
}

/** Takes a record like `gather`, where it is older than those that are there. */
function gatherOlder(past: GatheredRecords, record: HistoryRecord): void {
  const last = past.before.at(-1);
  const isOlder = last === undefined || compareHistory(record, last) < 0;
  if (isOlder && (record.type !== "state" || isStateRecord(record))) past.before.push(record);
}
