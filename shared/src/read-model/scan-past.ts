import type { HistoryRecord, HistoryType } from "../words/history.ts";
import { keyOf, type ObjectKey, refOf } from "../words/object-key.ts";
import type { Refusal } from "../words/refusal.ts";
import { fail, ok } from "../words/result.ts";
import type { HistoryReader } from "./memory-read-model.ts";
import {
  beforeTypes,
  couldLastUntil,
  downtimeTypes,
  isEnough,
  laterTypes,
  type ObjectPast,
  type PastReader,
  tellsState,
} from "./past-evidence.ts";
import type { HistoryQuery } from "./read-model.ts";

type Gathered = {
  -readonly [K in keyof ObjectPast]: ObjectPast[K] extends readonly HistoryRecord[] ? HistoryRecord[] : ObjectPast[K];
};

const types = [...new Set([...beforeTypes, ...laterTypes])];
/** Up to so many objects are asked for one by one. */
const fewRefs = 8;
const pageSize = 1_000;

/**
 * What history knows around an instant, found by reading all of it, newest first: for a history that is short, as a
 * mirror of the recent past is. It reaches back as far as the oldest record that is there.
 */
export function scanPast(history: HistoryReader, breathe: () => Promise<void>): PastReader {
  async function scan(query: HistoryQuery, take: (record: HistoryRecord) => void): Promise<Refusal | undefined> {
    for (let pageToken = ""; ; ) {
      const page = await history.history({ ...query, pageToken });
      if (!page.ok) return page.error;
      page.value.records.forEach(take);
      pageToken = page.value.nextPageToken;
      if (pageToken === "") return undefined;
      await breathe();
    }
  }

  /** Those of `realms` that have a record at the instant or before. */
  async function reaching(realms: Iterable<string>, atMs: number): Promise<ReadonlySet<string>> {
    const reached = new Set<string>();
    for (const realm of realms) {
      const query = { ...queryFor(realm, undefined), types: [], untilMs: atMs + 1, pageSize: 1 };
      const page = await history.history(query);
      if (page.ok && page.value.records.length > 0) reached.add(realm);
    }
    return reached;
  }

  return {
    async past({ atMs, realm, refs }) {
      const pasts = new Map<string, Gathered>();
      const realms = new Set<string>();
      const take = (record: HistoryRecord): void => {
        realms.add(record.realm);
        const ref = record.key && refOf(record.key);
        if (ref === undefined || !refs.has(ref)) return;
        const name = `${record.realm}\0${ref}`;
        const past = pasts.get(name) ?? { before: [], downtimes: [], nextState: undefined, later: [] };
        gather(past, record, atMs);
        pasts.set(name, past);
      };
      const few = refs.size <= fewRefs;
      for (const key of few ? [...refs].map(keyOf) : [undefined]) {
        const refusal = await scan(queryFor(realm, key), take);
        if (refusal !== undefined) return fail(refusal);
      }
      for (const past of pasts.values()) {
        past.later.reverse();
        past.downtimes.reverse();
      }
      const reached = await reaching(realms, atMs);
      return ok({ reaches: (of) => reached.has(of), of: (of, ref) => pasts.get(`${of}\0${ref}`) });
    },
  };
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

const laterSet: ReadonlySet<HistoryType> = new Set(laterTypes);
const beforeSet: ReadonlySet<HistoryType> = new Set(beforeTypes);
const downtimeSet: ReadonlySet<HistoryType> = new Set(downtimeTypes);

/** Takes a record that is older than those before it. */
function gather(past: Gathered, record: HistoryRecord, atMs: number): void {
  if (record.atMs > atMs) {
    if (tellsState(record)) past.nextState = record;
    else if (laterSet.has(record.type)) past.later.push(record);
    return;
  }
  if (downtimeSet.has(record.type)) {
    if (couldLastUntil(record, atMs)) past.downtimes.push(record);
  } else if (beforeSet.has(record.type) && (record.type !== "state" || tellsState(record)) && !isEnough(past.before))
    past.before.push(record);
}
