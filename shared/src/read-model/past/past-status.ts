import type { Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import { limitedQueue } from "../limited-queue.ts";
import { parseRowPageToken, rowPageToken, type WalkStart } from "../page-token.ts";
import type { RowFilter, StatusAnswer, StatusQuery } from "../read-model.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import { summaryOfRows } from "../rows/row-counts.ts";
import { anyRow, matchesFilter, mayEverMatch, type RealmNaming } from "../rows/row-filter.ts";
import { type ListedRow, rowPage } from "../rows/row-page.ts";
import { withoutLaterChecks } from "./past-row.ts";
import { type PastRowsOptions, pastRowsOf } from "./past-rows.ts";

type PastStatusOptions = PastRowsOptions & {
  readonly naming: RealmNaming;
  /** Entries that may pass the filter, with their hosts and parents. */
  readonly entries: (filter: RowFilter) => Iterable<LiveEntry>;
};

/** Answer without the realms, which are those of now. */
type PastAnswer = Omit<StatusAnswer, "realms" | "currentRealms">;

type BuiltRows = Result<readonly ListedRow[], Refusal>;
/** Rows of a realm, or of all, at a time. `building` is set until they are built. */
type CachedRows = {
  readonly cacheKey: string;
  readonly askedAtMs: number;
  building: Promise<BuiltRows> | undefined;
  rows: WeakRef<readonly ListedRow[]> | undefined;
};

/** Maximum number of queued queries over all objects; each may take a second. */
const maxQueuedQueries = 8;
/** Maximum number of times whose rows are cached. */
const maxCachedTimes = 4;
/** Time for which the rows of a settled time answer further first pages, ms: the requests of one view come together. */
const sharedForMs = 5_000;
/** Age from which a time counts as settled, ms: records of earlier times have arrived. */
const settledAfterMs = 60_000;

/** Beginning of a walk over rows of the past, which do not move. */
const settled: WalkStart = { generation: "", change: 0 };

/** Answers status queries for a past time. */
export function openPastStatus({ entries, naming, ...parts }: PastStatusOptions) {
  /** Newest last. Rows are held until the garbage collector frees them. */
  let cached: readonly CachedRows[] = [];
  const enqueue = limitedQueue(maxQueuedQueries, "too many queries about the past are queued: try again in a moment");

  const build = (filter: RowFilter, atMs: number): Promise<BuiltRows> => {
    const isWanted = (realm: string, key: LiveEntry["key"]): boolean => mayEverMatch(realm, key, filter, naming);
    return pastRowsOf(entries(filter), { atMs, realm: filter.realm, isWanted }, parts);
  };

  function builtBefore(query: StatusQuery, cacheKey: string, atMs: number): Promise<BuiltRows> | undefined {
    const known = cached.find((one) => one.cacheKey === cacheKey);
    if (known === undefined) return undefined;
    const isContinued = query.pageToken !== "" || query.pageOffset > 0;
    const ageMs = query.nowMs - known.askedAtMs;
    const isShared = atMs <= query.nowMs - settledAfterMs && ageMs >= 0 && ageMs <= sharedForMs;
    if (!isContinued && !isShared) return undefined;
    const rows = known.rows?.deref();
    return known.building ?? (rows && Promise.resolve(ok(rows)));
  }

  /** [TM7] Rows of all objects of the asked realms: lists, counts and further pages of one time share them. */
  async function allRows(query: StatusQuery, atMs: number): Promise<BuiltRows> {
    const cacheKey = `${atMs} ${query.realm}`;
    const before = builtBefore(query, cacheKey, atMs);
    if (before !== undefined) return before;
    const building = enqueue(() => build({ ...anyRow, realm: query.realm }, atMs));
    const made: CachedRows = { cacheKey, askedAtMs: query.nowMs, building, rows: undefined };
    cached = [...cached.filter((one) => one.cacheKey !== cacheKey), made].slice(-maxCachedTimes);
    const found = await building;
    made.building = undefined;
    if (found.ok) made.rows = new WeakRef(found.value);
    else cached = cached.filter((one) => one !== made);
    return found;
  }

  async function matchesOf(query: StatusQuery, atMs: number): Promise<Result<ListedRow[], Refusal>> {
    const found = await (query.key === undefined ? allRows(query, atMs) : build(query, atMs));
    if (!found.ok) return found;
    // A past row is never overdue, and fields that later checks set decide about no other condition.
    if (query.overdueAtMs !== undefined) return ok([]);
    return ok(found.value.filter(({ row }) => matchesFilter(row, query, naming)));
  }

  return {
    async status(query: StatusQuery, atMs: number): Promise<Result<PastAnswer, Refusal>> {
      const token = parseRowPageToken(query.sort, query.pageToken);
      if (!token.ok) return token;
      const found = await matchesOf(query, atMs);
      if (!found.ok) return found;
      return ok(pastPage(found.value, query, { atMs, place: token.value?.place }));
    },
  };
}

/** Page of the matching rows of a time. */
function pastPage(
  rows: readonly ListedRow[],
  query: StatusQuery,
  { atMs, place }: { readonly atMs: number; readonly place: Parameters<typeof rowPage>[1]["place"] },
): PastAnswer {
  const { sort, pageSize, pageOffset: offset } = query;
  // Recorded history does not say when results were expected.
  const summary = { ...summaryOfRows(rows.map(({ row }) => row)), overdue: 0 };
  const asThen = (row: ListedRow["row"]) => withoutLaterChecks(row, atMs);
  const listed = sort.by === "lastCheck" ? rows.map((one) => ({ ...one, row: asThen(one.row) })) : rows;
  const page = query.summaryOnly
    ? { rows: [], next: undefined }
    : rowPage(() => listed, { sort, pageSize, place, offset });
  const nextPageToken = rowPageToken(sort, page.next, settled);
  return { rows: page.rows.map(asThen), nextPageToken, summary, revision: "", removed: [], full: false };
}
