import { refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import type { Row } from "../../model/row.ts";
import type { RowFilter } from "../read-model.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import { matchesFilter, mayEverMatch, type RealmNaming } from "../rows/row-filter.ts";
import type { ListedRow } from "../rows/row-page.ts";
import { withPastHandling } from "./past-handling.ts";
import { changedSince, type PastSource, type RecordedPast } from "./past-records.ts";
import { pastRow } from "./past-row.ts";

export type PastRowsOptions = {
  readonly past: PastSource;
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>;
  readonly naming: RealmNaming;
};

/** Number of rows between two yields to the event loop: some ms. */
const rowsPerSlice = 1_000;

/** Entry with its row at the time of the query, so that later changes do not mix in. */
type CapturedEntry = { readonly entry: LiveEntry; readonly row: Row };

/**
 * Builds all past rows that pass the filter.
 *
 * @param live   entries that may pass, with their hosts and parents
 * @param filter applied to the past rows
 */
export async function pastRowsOf(
  live: Iterable<LiveEntry>,
  { filter, atMs }: { filter: RowFilter; atMs: number },
  { past, yieldToEventLoop, naming }: PastRowsOptions,
): Promise<Result<ListedRow[], Refusal>> {
  const captured = new Map<string, CapturedEntry>();
  const wanted: CapturedEntry[] = [];
  const refs = new Set<string>();
  for (const entry of live) {
    const current = { entry, row: entry.row };
    captured.set(objectId(entry.realm, entry.ref), current);
    if (captured.size % rowsPerSlice === 0) await yieldToEventLoop();
    if (!mayEverMatch(entry.realm, entry.key, filter, naming)) continue;
    wanted.push(current);
    for (const ref of refsAround(current)) refs.add(ref);
  }
  const records = await past.pastRecords({ atMs, realm: filter.realm, refs });
  if (!records.ok) return records;
  const found: ListedRow[] = [];
  const rowOf = pastRowBuilder(captured, records.value, atMs);
  for (const [at, { entry, row: current }] of wanted.entries()) {
    if (at % rowsPerSlice === rowsPerSlice - 1) await yieldToEventLoop();
    const row = rowOf(entry, current);
    if (matchesFilter(row, filter, naming)) found.push({ row, sortKey: entry.sortKey });
  }
  return ok(found);
}

const objectId = (realm: string, ref: string): string => `${realm}\0${ref}`;

/** References of the object and of its host or parents, which may suppress it. */
const refsAround = ({ entry: { key, ref }, row }: CapturedEntry): readonly string[] =>
  key.kind === "service" ? [ref, key.host] : [ref, ...row.about.parents];

/** Builds past rows with suppression by host and parents. Rows of hosts are built once and cached. */
function pastRowBuilder(captured: ReadonlyMap<string, CapturedEntry>, records: RecordedPast, atMs: number) {
  const hostRows = new Map<string, Row>();
  const ownRow = (realm: string, ref: string): Row | undefined => {
    const name = objectId(realm, ref);
    const made = hostRows.get(name);
    const current = made ?? captured.get(name)?.row;
    if (made !== undefined || current === undefined) return current;
    const row = pastRow(current, records.of(realm, ref), { atMs, reached: records.reachesBack(realm) });
    if (current.about.key.kind === "host") hostRows.set(name, row);
    return row;
  };
  return ({ realm, ref }: LiveEntry, current: Row): Row => {
    const findPastHost = (name: string): Row | undefined => ownRow(realm, refOf({ kind: "host", name }));
    return withPastHandling(ownRow(realm, ref) ?? current, findPastHost, changedSince(records.of(realm, ref)));
  };
}
