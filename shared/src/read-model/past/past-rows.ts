import { type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import { isProblem } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import type { ListedRow } from "../rows/row-page.ts";
import { withPastHandling } from "./past-handling.ts";
import { changedSince, type PastQuery, type PastSource, type RecordedPast } from "./past-records.ts";
import { pastRow } from "./past-row.ts";

export type PastRowsOptions = {
  readonly past: PastSource;
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>;
};

type PastRowsQuery = Omit<PastQuery, "refs"> & {
  /** Checks the identity of an object; rows are built of those that it accepts. */
  readonly isWanted: (realm: string, key: ObjectKey) => boolean;
};

/** Number of rows between two yields to the event loop: some ms. */
const rowsPerSlice = 2_000;

/** Entry with its row at the time of the query, so that later changes do not mix in. */
type CapturedEntry = { readonly entry: LiveEntry; readonly row: Row };

/** Captured entries by realm and reference. */
type CapturedRealms = Map<string, Map<string, CapturedEntry>>;

/**
 * Builds the past rows of all wanted objects. A row that is the same then as now, but for the fields that
 * `withoutLaterChecks` clears, is the current one: of many objects few have changed, and copies of the others would take
 * most of the time and memory.
 *
 * @param live wanted entries, with their hosts and parents
 */
export async function pastRowsOf(
  live: Iterable<LiveEntry>,
  { atMs, realm, isWanted }: PastRowsQuery,
  { past, yieldToEventLoop }: PastRowsOptions,
): Promise<Result<ListedRow[], Refusal>> {
  const captured: CapturedRealms = new Map();
  const wanted: CapturedEntry[] = [];
  const refs = new Set<string>();
  let count = 0;
  for (const entry of live) {
    const current = { entry, row: entry.row };
    captured.getOrInsertComputed(entry.realm, () => new Map()).set(entry.ref, current);
    if (++count % rowsPerSlice === 0) await yieldToEventLoop();
    if (!isWanted(entry.realm, entry.key)) continue;
    wanted.push(current);
    addRefsAround(refs, current);
  }
  const records = await past.pastRecords({ atMs, realm, refs });
  if (!records.ok) return records;
  const found: ListedRow[] = [];
  const rowOf = pastRowBuilder(captured, records.value, atMs);
  for (const current of wanted) {
    if (found.length % rowsPerSlice === rowsPerSlice - 1) await yieldToEventLoop();
    found.push({ row: rowOf(current), sortKey: current.entry.sortKey });
  }
  return ok(found);
}

/** Adds the references of the object and of its host or parents, which may suppress it. */
function addRefsAround(refs: Set<string>, { entry: { key, ref }, row }: CapturedEntry): void {
  refs.add(ref);
  if (key.kind === "service") refs.add(key.host);
  else for (const parent of row.about.parents) refs.add(parent);
}

/** Builds past rows with suppression by host and parents. Rows of hosts are built once and cached. */
function pastRowBuilder(captured: CapturedRealms, records: RecordedPast, atMs: number) {
  const hostRows = new Map<CapturedEntry, Row>();
  const ownRow = (current: CapturedEntry): Row => {
    const { realm, ref, key } = current.entry;
    const made = hostRows.get(current);
    if (made !== undefined) return made;
    const row = pastRow(current.row, records.of(realm, ref), { atMs, reached: records.reachesBack(realm) });
    if (key.kind === "host") hostRows.set(current, row);
    return row;
  };
  const hostOf = (realm: string, name: string): CapturedEntry | undefined =>
    captured.get(realm)?.get(refOf({ kind: "host", name }));
  const isAsNow = ({ entry: { realm, ref }, row }: CapturedEntry): boolean =>
    isUnaffected(row, atMs) && records.of(realm, ref) === undefined;
  return (current: CapturedEntry): Row => {
    const { realm, ref, key } = current.entry;
    if (isAsNow(current)) {
      const host = key.kind === "service" ? hostOf(realm, key.host) : undefined;
      if (host === undefined || isAsNow(host) || !ownRow(host).inDowntime) return current.row;
    }
    const findPastHost = (name: string): Row | undefined => {
      const host = hostOf(realm, name);
      return host && ownRow(host);
    };
    return withPastHandling(ownRow(current), findPastHost, changedSince(records.of(realm, ref)));
  };
}

/** True for a row without a problem, annotations or later changes, whose past needs no more than its records. */
const isUnaffected = (row: Row, atMs: number): boolean =>
  !isProblem(row.status) &&
  (row.lastChangeAtMs === undefined || row.lastChangeAtMs <= atMs) &&
  row.acknowledgement === undefined &&
  !row.inDowntime &&
  !row.handled &&
  row.suppressedBy.length === 0 &&
  row.downtimes.length === 0 &&
  row.comments.length === 0;
