import { refOf } from "@realmwatch/shared/model/object-key";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { MetricEntry, SinkObject } from "../sink-type.ts";

/** Performance data of one result: number of the object, start of the check in Unix ms, and its points. */
export type NumberedSample = readonly [object: number, atMs: number, perfdata: readonly PerfPoint[]];

/** Turns results into entries of the metric log: their points, and the ends of the series that they lack. */
export class SampleIntake {
  readonly #objects = new Map<number, SinkObject>();
  /** Points of each object's last result that had any, by reference. */
  readonly #lastPoints = new Map<string, readonly PerfPoint[]>();

  /** Announces objects by the numbers that samples use from now on. */
  define(objects: readonly (readonly [number: number, object: SinkObject])[]): void {
    for (const [number, object] of objects) this.#objects.set(number, object);
  }

  /** Forgets the objects with lower numbers, which no sample uses any more. */
  forgetBelow(first: number): void {
    for (const number of this.#objects.keys()) if (number < first) this.#objects.delete(number);
  }

  entriesOf(samples: readonly NumberedSample[]): MetricEntry[] {
    const entries: MetricEntry[] = [];
    for (const sample of samples) this.#add(entries, sample);
    return entries;
  }

  #add(entries: MetricEntry[], [number, atMs, perfdata]: NumberedSample): void {
    const object = this.#objects.get(number);
    if (object === undefined) return;
    const ref = refOf(object.key);
    const points = perfdata.filter(({ value }) => value !== undefined);
    const before = this.#lastPoints.get(ref) ?? [];
    for (const point of points) entries.push({ object, atMs, ...point });
    if (before.length > 0 && !sameSeries(before, points)) {
      const present = new Set(points.map(seriesOf));
      for (const point of before)
        if (!present.has(seriesOf(point))) entries.push({ object, atMs, ...point, value: undefined });
    }
    if (points.length > 0) this.#lastPoints.set(ref, points);
    else this.#lastPoints.delete(ref);
  }
}

const seriesOf = ({ label, uom }: PerfPoint): string => `${uom}\0${label}`;

const sameSeries = (a: readonly PerfPoint[], b: readonly PerfPoint[]): boolean =>
  a.length === b.length && a.every(({ label, uom }, at) => label === b[at]?.label && uom === b[at]?.uom);
