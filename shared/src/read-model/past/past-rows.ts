import { refOf } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import type { Row } from "../../model/row.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import type { Listed } from "../rows/row-page.ts";
import { coverThen } from "./past-handling.ts";
import { hasNews, type PastEvidence, type PastReader } from "./past-records.ts";
import { rowThen } from "./past-row.ts";
import type { RowFilter } from "../read-model.ts";
import { couldMatch, matchesFilter, type RealmNaming } from "../rows/row-filter.ts";

export type PastViewParts = {
  readonly past: PastReader;
  /** Lets others have the thread. */
  readonly breathe: () => Promise<void>;
  readonly naming: RealmNaming;
};

/** Rows between two breaths: some ms. */
const slice = 1_000;

/** An entry with the row that it had when the question came: what comes later may not mix in. */
type Known = { readonly entry: LiveEntry; readonly row: Row };

/**
 * All rows that pass the filter as they were at an instant.
 *
 * @param live   everything that may pass, and what may cover it
 * @param filter applied to the rows of then
 */
export async function rowsAt(
  live: Iterable<LiveEntry>,
  { filter, atMs }: { filter: RowFilter; atMs: number },
  { past, breathe, naming }: PastViewParts,
): Promise<Result<Listed[], Refusal>> {
  const known = new Map<string, Known>();
  const wanted: Known[] = [];
  const refs = new Set<string>();
  for (const entry of live) {
    const now = { entry, row: entry.row };
    known.set(nameOf(entry.realm, entry.ref), now);
    if (known.size % slice === 0) await breathe();
    if (!couldMatch(entry.realm, entry.key, filter, naming)) continue;
    wanted.push(now);
    for (const ref of refsAround(now)) refs.add(ref);
  }
  const evidence = await past.past({ atMs, realm: filter.realm, refs });
  if (!evidence.ok) return evidence;
  const found: Listed[] = [];
  const rowOf = pastRows(known, evidence.value, atMs);
  for (const [at, { entry, row: now }] of wanted.entries()) {
    if (at % slice === slice - 1) await breathe();
    const row = rowOf(entry, now);
    if (matchesFilter(row, filter, naming)) found.push({ row, text: entry.text });
  }
  return ok(found);
}

const nameOf = (realm: string, ref: string): string => `${realm}\0${ref}`;

/** The object and what may cover it. */
const refsAround = ({ entry: { key, ref }, row }: Known): readonly string[] =>
  key.kind === "service" ? [ref, key.host] : [ref, ...row.about.parents];

/** Rows of the past, covered by those around them. What several rows look at is made once. */
function pastRows(known: ReadonlyMap<string, Known>, evidence: PastEvidence, atMs: number) {
  const own = new Map<string, Row>();
  const ownRow = (realm: string, ref: string): Row | undefined => {
    const name = nameOf(realm, ref);
    const made = own.get(name);
    const now = made ?? known.get(name)?.row;
    if (made !== undefined || now === undefined) return now;
    const row = rowThen(now, evidence.of(realm, ref), { atMs, reached: evidence.reaches(realm) });
    if (now.about.key.kind === "host") own.set(name, row);
    return row;
  };
  return ({ realm, ref }: LiveEntry, now: Row): Row => {
    const hostThen = (name: string): Row | undefined => ownRow(realm, refOf({ kind: "host", name }));
    return coverThen(ownRow(realm, ref) ?? now, hostThen, hasNews(evidence.of(realm, ref)));
  };
}
