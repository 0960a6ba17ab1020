import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { SeriesKey } from "./metric-database.ts";
import type { PointAppend } from "./metric-store-protocol.ts";

type ObjectSeries = { lastAtMs: number; readonly numbers: Map<string, number> };

/** Points of one batch at most. */
const maxPoints = 4_096;

/** Points that wait to be sent to the store's thread. Numbers the series, so that only numbers are sent. */
export class PointBatch {
  readonly #objects = new Map<string, ObjectSeries>();
  #series: SeriesKey[] = [];
  #seriesCount = 0;
  #numbers = new Uint32Array(maxPoints);
  #times = new Float64Array(maxPoints);
  #values = new Float64Array(maxPoints);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** True when the points of another result may not fit. */
  get isFull(): boolean {
    return this.#size >= maxPoints / 2;
  }

  /** Adds the values of a result, unless one with the same time was added. Returns the number of points. */
  add(ref: string, atMs: number, perfdata: readonly PerfPoint[]): number {
    const object = this.#objects.get(ref) ?? { lastAtMs: Number.NaN, numbers: new Map() };
    if (object.lastAtMs === atMs) return 0;
    if (Number.isNaN(object.lastAtMs)) this.#objects.set(ref, object);
    object.lastAtMs = atMs;
    const before = this.#size;
    for (const { label, value, uom } of perfdata) {
      if (value === undefined || this.#size === maxPoints) continue;
      this.#numbers[this.#size] = this.#numberOf(ref, object, label, uom);
      this.#times[this.#size] = Math.round(atMs);
      this.#values[this.#size] = value;
      this.#size += 1;
    }
    return this.#size - before;
  }

  #numberOf(ref: string, { numbers }: ObjectSeries, label: string, uom: string): number {
    const key = uom === "" ? label : `${label}\0${uom}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#seriesCount;
    this.#seriesCount += 1;
    numbers.set(key, number);
    this.#series.push({ ref, label, uom });
    return number;
  }

  forget(ref: string): void {
    this.#objects.delete(ref);
  }

  /** Request with all points, which are then no longer in the batch. */
  take(): PointAppend {
    const request = {
      series: this.#series,
      numbers: this.#numbers.slice(0, this.#size),
      times: this.#times.slice(0, this.#size),
      values: this.#values.slice(0, this.#size),
    };
    this.#series = [];
    this.#size = 0;
    return request;
  }
}
