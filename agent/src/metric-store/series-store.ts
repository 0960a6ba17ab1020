import type { Interval } from "@realmwatch/shared/calendar/interval";
import { decodeChunk, encodeChunk, encodeOpenChunk } from "./chunk-codec.ts";
import type { MetricDatabase, SeriesKey } from "./metric-database.ts";
import type { MetricPoint } from "./metric-point.ts";

/** Points of a full chunk. */
export const pointsPerChunk = 180;
/** Points of one series that wait in memory; fewer when there are very many series. */
const pointsInMemory = { most: 20, fewest: 4, total: 2_000_000 } as const;
/** Points of one series that wait in memory while the disk refuses writes. */
const maxUnwritten = 100;
/**
 * Age at which waiting points are written, ms. Together with the interval of maintenance, which looks for them, a kill
 * loses at most five minutes.
 */
const longestWaitMs = 285_000;

type Series = { readonly id: number; waiting: MetricPoint[]; waitingSinceMs: number };

/**
 * Points of all series: the newest ones of each in memory, then a growing head and full chunks in the database. All
 * methods throw the error of SQLite; points that could not be written wait on.
 */
export class SeriesStore {
  readonly #db: MetricDatabase;
  readonly #series = new Map<number, Series>();

  constructor(db: MetricDatabase) {
    this.#db = db;
  }

  /** Ids of series for `add`; missing series are created. */
  open(keys: readonly SeriesKey[]): readonly number[] {
    const ids = this.#db.transaction(() => keys.map((key) => this.#db.seriesId(key)));
    for (const id of ids) if (!this.#series.has(id)) this.#series.set(id, { id, waiting: [], waitingSinceMs: 0 });
    return ids;
  }

  has(id: number): boolean {
    return this.#series.has(id);
  }

  get size(): number {
    return this.#series.size;
  }

  /** Adds points: `values[n]` of series `ids[n]` at `times[n]`. The result is durable later. */
  add(ids: ArrayLike<number>, times: ArrayLike<number>, values: ArrayLike<number>): void {
    const limit = this.#waitingLimit();
    const full = new Set<Series>();
    for (let at = 0; at < ids.length; at += 1) {
      const series = this.#series.get(ids[at] as number);
      if (series === undefined) continue;
      const point = { atMs: times[at] as number, value: values[at] as number };
      if (series.waiting.length === 0) series.waitingSinceMs = point.atMs;
      series.waiting.push(point);
      if (series.waiting.length >= limit) full.add(series);
    }
    if (full.size > 0) this.#write(full);
  }

  #waitingLimit(): number {
    const { most, fewest, total } = pointsInMemory;
    return Math.max(fewest, Math.min(most, Math.floor(total / (this.#series.size + 1))));
  }

  /** Writes the points that have waited for long. */
  writeOld(nowMs: number): void {
    const old = new Set<Series>();
    for (const series of this.#series.values())
      if (series.waiting.length > 0 && nowMs - series.waitingSinceMs >= longestWaitMs) old.add(series);
    if (old.size > 0) this.#write(old);
  }

  /** Writes all points. */
  writeAll(): void {
    this.writeOld(Number.POSITIVE_INFINITY);
  }

  #write(all: ReadonlySet<Series>): void {
    try {
      this.#db.transaction(() => {
        for (const series of all) this.#append(series);
      });
    } catch (error) {
      // The newest points wait for the next attempt.
      for (const series of all) series.waiting = series.waiting.slice(-maxUnwritten);
      throw error;
    }
    for (const series of all) series.waiting = [];
  }

  /** Adds the waiting points to the head, and makes chunks of a head that is full. */
  #append({ id, waiting }: Series): void {
    const head = this.#db.head(id);
    let points = sorted([...(head === undefined ? [] : decodeChunk(head)), ...waiting]);
    for (; points.length >= pointsPerChunk; points = points.slice(pointsPerChunk)) {
      const full = points.slice(0, pointsPerChunk);
      const [fromMs, toMs] = [full[0]?.atMs ?? 0, full.at(-1)?.atMs ?? 0];
      this.#db.addChunk({ series: id, level: 0, fromMs, toMs, data: encodeChunk(full) });
    }
    const last = points.at(-1);
    if (last === undefined) this.#db.deleteHead(id);
    else this.#db.putHead(id, last.atMs, encodeOpenChunk(points));
  }

  /** Metrics of an object, in the order of their labels. */
  metricsOf = (ref: string) => this.#db.seriesOf(ref);

  /** Points of a series in [fromMs, toMs], sorted by time. */
  points(id: number, { fromMs, toMs }: Interval): MetricPoint[] {
    const head = this.#db.head(id);
    // Stored times are rounded to the second.
    const found = this.#db.chunksIn(id, fromMs - 1000, toMs + 1000).flatMap(({ data }) => decodeChunk(data));
    if (head !== undefined) found.push(...decodeChunk(head));
    found.push(...(this.#series.get(id)?.waiting ?? []));
    return sorted(found.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs));
  }

  /** Forgets a series that has no points in the database. False when points wait. */
  forget(id: number): boolean {
    if ((this.#series.get(id)?.waiting.length ?? 0) > 0) return false;
    this.#series.delete(id);
    return true;
  }
}

/** Points by time; of several at the same time the last one. */
function sorted(points: MetricPoint[]): MetricPoint[] {
  const isSorted = points.every(({ atMs }, at) => at === 0 || atMs > (points[at - 1] as MetricPoint).atMs);
  if (isSorted) return points;
  return [...new Map(points.map((point) => [point.atMs, point])).values()].sort((a, b) => a.atMs - b.atMs);
}
