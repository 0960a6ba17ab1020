import { refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import type { Row } from "../../model/row.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import type { ListedRow } from "../rows/row-page.ts";
import { withPastHandling } from "./past-handling.ts";
import { changedSince, type RecordedPast, type PastSource } from "./past-records.ts";
import { pastRow } from "./past-row.ts";
import type { RowFilter } from "../read-model.ts";
import { mayEverMatch, matchesFilter, type RealmNaming } from "../rows/row-filter.ts";

export type PastRowsOptions = {
  readonly past: PastSource;
  /** Lets others have the thread. */
  readonly yieldToEventLoop: () => Promise<void>;
  readonly naming: RealmNaming;
};

/** Rows between two breaths: some ms. */
const rowsPerSlice = 1_000;

/** An entry with the row that it had when the question came: what comes later may not mix in. */
type CapturedEntry = { readonly entry: LiveEntry; readonly row: Row };

/**
 * All rows that pass the filter as they were at an instant.
 *
 * @param live   everything that may pass, and what may cover it
 * @param filter applied to the rows of then
 */
export async function pastRowsOf(
  live: Iterable<LiveEntry>,
  { filter, atMs }: { filter: RowFilter; atMs: number },
  { past, yieldToEventLoop, naming }: PastRowsOptions,
): Promise<Result<ListedRow[], Refusal>> {
  const known = new Map<string, CapturedEntry>();
  const wanted: CapturedEntry[] = [];
  const refs = new Set<string>();
  for (const entry of live) {
    const now = { entry, row: entry.row };
    known.set(objectId(entry.realm, entry.ref), now);
    if (known.size % rowsPerSlice === 0) await yieldToEventLoop();
    if (!mayEverMatch(entry.realm, entry.key, filter, naming)) continue;
    wanted.push(now);
    for (const ref of refsAround(now)) refs.add(ref);
  }
  const evidence = await past.pastRecords({ atMs, realm: filter.realm, refs });
  if (!evidence.ok) return evidence;
  const found: ListedRow[] = [];
  const rowOf = pastRowBuilder(known, evidence.value, atMs);
  for (const [at, { entry, row: now }] of wanted.entries()) {
    if (at % rowsPerSlice === rowsPerSlice - 1) await yieldToEventLoop();
    const row = rowOf(entry, now);
    if (matchesFilter(row, filter, naming)) found.push({ row, sortKey: entry.sortKey });
  }
  return ok(found);
}

const objectId = (realm: string, ref: string): string => `${realm}\0${ref}`;

/** The object and what may cover it. */
const refsAround = ({ entry: { key, ref }, row }: CapturedEntry): readonly string[] =>
  key.kind === "service" ? [ref, key.host] : [ref, ...row.about.parents];

/** Rows of the past, covered by those around them. What several rows look at is made once. */
function pastRowBuilder(known: ReadonlyMap<string, CapturedEntry>, evidence: RecordedPast, atMs: number) {
  const own = new Map<string, Row>();
  const ownRow = (realm: string, ref: string): Row | undefined => {
    const name = objectId(realm, ref);
    const made = own.get(name);
    const now = made ?? known.get(name)?.row;
    if (made !== undefined || now === undefined) return now;
    const row = pastRow(now, evidence.of(realm, ref), { atMs, reached: evidence.reachesBack(realm) });
    if (now.about.key.kind === "host") own.set(name, row);
    return row;
  };
  return ({ realm, ref }: LiveEntry, now: Row): Row => {
    const hostThen = (name: string): Row | undefined => ownRow(realm, refOf({ kind: "host", name }));
    return withPastHandling(ownRow(realm, ref) ?? now, hostThen, changedSince(evidence.of(realm, ref)));
  };
}
