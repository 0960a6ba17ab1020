import fc from "fast-check";
import type { HistoryEntry } from "../../model/history.ts";
import { keyOf } from "../../model/object-key.ts";
import { allHistory } from "../read-model.fixture.ts";
import type { HistoryQuery } from "../read-model.ts";

const people = ["ann", "Ann", "bea", "svc"] as const;
const texts = ["Disk FULL", "disk", "100% full", "Größe", 'a "quoted"\nline', "\\"] as const;
const refs = ["web1", "web1!Disk", "db_1", "process:Shop"] as const;

/** Entries of history with few different names and texts, so that queries match some of them; not in order of time. */
const entries: fc.Arbitrary<HistoryEntry> = fc
  .record(
    {
      atMs: fc.integer({ min: 1, max: 40 }),
      type: fc.constantFrom("state", "note", "notification", "gap"),
      key: fc.constantFrom(...refs).map(keyOf),
      author: fc.constantFrom(...people),
      onBehalfOf: fc.constantFrom(...people),
      contact: fc.constantFrom("ops", "ops2"),
      output: fc.constantFrom(...texts),
      comment: fc.constantFrom(...texts),
      stoppedAtMs: fc.constant(1),
    },
    { requiredKeys: ["atMs", "type"] },
  )
  .map((entry) => entry as HistoryEntry);

/** The same entries in each run. */
export const sampleHistoryEntries = (count: number): readonly HistoryEntry[] =>
  fc.sample(entries, { numRuns: count, seed: 7 });

/** Queries of history by name, text and time, of small pages. */
export const textQueries: fc.Arbitrary<HistoryQuery> = fc
  .record(
    {
      actor: fc.constantFrom(...people),
      contact: fc.constantFrom("ops", "OPS"),
      search: fc.constantFrom("disk", "FULL", "%", "_", "größe", '"', "\\", "web1!d", "shop", "process:", "none"),
      sinceMs: fc.integer({ min: 0, max: 40 }),
      untilMs: fc.integer({ min: 0, max: 41 }),
      types: fc.subarray(["state", "note", "notification"] as const),
    },
    { requiredKeys: [] },
  )
  .map((query) => ({ ...allHistory, ...query, pageSize: 7 }));

/** Outcome that the definition of the conditions has, field by field. */
export function isAskedFor(entry: HistoryEntry, query: HistoryQuery): boolean {
  const { atMs, type, key, author, onBehalfOf, contact, output, comment, stoppedAtMs } = entry;
  if (query.sinceMs !== undefined && atMs < query.sinceMs) return false;
  if (query.untilMs !== undefined && atMs >= query.untilMs) return false;
  if (type === "gap" && stoppedAtMs === undefined) return true;
  if (query.types.length > 0 && !query.types.includes(type)) return false;
  if (query.actor !== "" && ![author, onBehalfOf].includes(query.actor)) return false;
  if (query.contact !== "" && contact !== query.contact) return false;
  const name = key?.kind === "service" ? `${key.host}!${key.name}` : key?.name;
  const searched = [name, output, comment].map((text) => text?.toLowerCase() ?? "");
  return searched.some((text) => text.indexOf(query.search.toLowerCase()) >= 0);
}

/** Reads all pages of a query. */
export async function allPages<T>(
  query: HistoryQuery,
  read: (query: HistoryQuery) => Promise<{ readonly records: readonly T[]; readonly nextPageToken: string }>,
): Promise<readonly T[]> {
  const records: T[] = [];
  let pageToken = "";
  do {
    const page = await read({ ...query, pageToken });
    records.push(...page.records);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return records;
}
