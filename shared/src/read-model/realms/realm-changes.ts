import type { PairStatus } from "../../model/pair-status.ts";
import type { RealmView } from "../../model/realm.ts";

/**
 * Position of a client in the changes of the realms' records.
 * The times are those of the newest heartbeats at the beginning of the last two sweeps, Unix ms.
 */
export type RealmPosition = {
  /** Number of the newest change that the client has. */
  readonly change: number;
  /** Sweep over the realms of which only `lastSeenAtMs` changed. */
  readonly sweep: { readonly previousMs: number; readonly startedMs: number /** Index. */; readonly next: number };
};

/** Records that a client has to receive, and its position after it. */
type ChangedRealms = { readonly realms: readonly RealmView[]; readonly position: RealmPosition };

/** Interval at which a record is sent again when only its last message is newer, ms. */
const sweepEveryMs = 15_000;
/** Size of the records that one answer has for that reason alone, bytes: an answer without other news stays small. */
const sweepBytes = 1_200;
/** Size of a record's fixed fields as JSON, bytes. */
const fixedBytes = 400;
/** Difference of measured times that is only an inaccuracy of their measurement, ms. */
const inaccuracyMs = 5_000;

type NotedRealm = { readonly view: RealmView; readonly change: number; readonly staleChange: number };

/** Changes of the realms' records, noted when they are read. */
export class RealmChanges {
  /** Number of the newest change. */
  newest = 0;
  /** Newest change that cannot be described to a client: a realm is no longer listed. */
  forgotten = 0;
  #noted = new Map<string, NotedRealm>();
  #views: readonly RealmView[] = [];

  /** Compares the records with those of the previous call. */
  note(views: readonly RealmView[]): void {
    const noted = new Map<string, NotedRealm>();
    for (const view of views) noted.set(view.name, this.#next(view, this.#noted.get(view.name)));
    if ([...this.#noted.keys()].some((name) => !noted.has(name))) this.forgotten = ++this.newest;
    this.#noted = noted;
    this.#views = views;
  }

  #next(view: RealmView, before: NotedRealm | undefined): NotedRealm {
    if (before !== undefined && isSameRecord(before.view, view)) return before;
    const change = ++this.newest;
    const staysStale = before !== undefined && isStale(before.view) === isStale(view);
    return { view, change, staleChange: staysStale ? before.staleChange : change };
  }

  /** All records. */
  get views(): readonly RealmView[] {
    return this.#views;
  }

  /** Position of a client that has all records. */
  position(): RealmPosition {
    const atMs = newestSeenMs(this.#views);
    return { change: this.newest, sweep: { previousMs: atMs, startedMs: atMs, next: this.#views.length } };
  }

  /** Records that changed after a position; those of which only the last message is newer follow in small portions. */
  since({ change, sweep }: RealmPosition): ChangedRealms {
    const changed = this.#views.filter(({ name }) => (this.#noted.get(name)?.change ?? 0) > change);
    const due = dueAgain(this.#views, new Set(changed), sweep);
    return { realms: [...changed, ...due.realms], position: { change: this.newest, sweep: due.sweep } };
  }

  /** Names of realms whose rows have become stale, or current, after a change; the earliest first. */
  staleChangesSince(change: number): readonly { readonly realm: string; readonly change: number }[] {
    return [...this.#noted]
      .flatMap(([realm, noted]) => (noted.staleChange > change ? [{ realm, change: noted.staleChange }] : []))
      .sort((a, b) => a.change - b.change);
  }
}

const isStale = ({ freshness }: RealmView): boolean => freshness !== "current";

function dueAgain(
  views: readonly RealmView[],
  included: ReadonlySet<RealmView>,
  { previousMs, startedMs, next }: RealmPosition["sweep"],
): { readonly realms: readonly RealmView[]; readonly sweep: RealmPosition["sweep"] } {
  const realms: RealmView[] = [];
  let sweep = { previousMs, startedMs, next };
  if (next >= views.length) {
    const newestMs = newestSeenMs(views);
    // The clock may have been set back.
    if (Math.abs(newestMs - startedMs) < sweepEveryMs) return { realms, sweep };
    sweep = { previousMs: startedMs, startedMs: newestMs, next: 0 };
  }
  for (let bytes = 0; sweep.next < views.length && bytes < sweepBytes; sweep.next++) {
    const view = views[sweep.next];
    if (view === undefined || included.has(view) || (view.lastSeenAtMs ?? 0) <= sweep.previousMs) continue;
    realms.push(view);
    bytes += fixedBytes + view.name.length + view.description.length + JSON.stringify(view.labels).length;
  }
  return { realms, sweep };
}

const newestSeenMs = (views: readonly RealmView[]): number =>
  views.reduce((newest, { lastSeenAtMs = 0 }) => Math.max(newest, lastSeenAtMs), 0);

/** Compares everything but the time of the last message. */
function isSameRecord(a: RealmView, b: RealmView): boolean {
  return (
    a.freshness === b.freshness &&
    a.reachable === b.reachable &&
    a.rowsHeld === b.rowsHeld &&
    a.rowsExpected === b.rowsExpected &&
    a.detail === b.detail &&
    a.version === b.version &&
    a.description === b.description &&
    isSameTime(a.behindSinceMs, b.behindSinceMs) &&
    isSameTime(a.clockSkewMs, b.clockSkewMs) &&
    isSameObject(lastingState(a.pair), lastingState(b.pair)) &&
    isSameObject(a.labels, b.labels) &&
    isSameObject(a.toggles, b.toggles)
  );
}

/** State of a pair without the times that pass by themselves. */
const lastingState = (pair: PairStatus | undefined): object | undefined =>
  pair && { ...pair, lagMs: 0, leaseRemainingMs: 0, promiseRemainingMs: 0 };

const isSameTime = (a: number | undefined, b: number | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Math.abs(a - b) < inaccuracyMs;

const isSameObject = (a: object | undefined, b: object | undefined): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);
