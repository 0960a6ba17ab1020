import { join } from "node:path";
import { ok } from "@realmwatch/shared/model/result";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import { averageSteps } from "./average-steps.ts";
import { storeMaintenance } from "./maintain-store.ts";
import { type MetricDatabase, metricFile, openMetricDatabase, type SeriesKey } from "./metric-database.ts";
import type { MetricLabel, MetricWorkerData, PointAppend, PointQuery } from "./metric-store-protocol.ts";
import { SeriesStore } from "./series-store.ts";

/** Requests of the store. */
function metricStoreHandlers(db: MetricDatabase, limits: MetricWorkerData) {
  const store = new SeriesStore(db);
  const maintain = storeMaintenance({ db, store }, limits);
  /** Series by the number that requests use. */
  const keys: SeriesKey[] = [];
  const ids: number[] = [];

  function append({ series, numbers, times, values }: PointAppend): void {
    keys.push(...series);
    // Besides new series, those that were removed because they had no points for long, or whose creation failed.
    const missing = [...new Set(numbers)].filter((number) => !store.has(ids[number] ?? -1));
    if (missing.length > 0)
      store.open(missing.map((number) => keys[number] as SeriesKey)).forEach((id, at) => {
        ids[missing[at] as number] = id;
      });
    const found = numbers.map((number) => ids[number] as number);
    store.add(found, times, values);
  }

  /** One entry for each unit that the metric had. */
  function points({ ref, label, range, stepMs }: PointQuery) {
    return store.metricsOf(ref).flatMap((series) => {
      if (series.label !== label) return [];
      const all = store.points(series.id, range);
      if (all.length === 0) return [];
      const found = stepMs > 0 ? averageSteps(all, { fromMs: range.fromMs, stepMs }) : all;
      const times = Float64Array.from(found, ({ atMs }) => atMs);
      return [{ uom: series.uom, times, values: Float64Array.from(found, ({ value }) => value) }];
    });
  }

  return {
    append,
    points,
    metrics: (ref: string): readonly MetricLabel[] => store.metricsOf(ref).map(({ label, uom }) => ({ label, uom })),
    maintain(nowMs: number) {
      store.writeOld(nowMs);
      maintain(nowMs);
      return { bytes: db.usedBytes(), series: store.size };
    },
    close(): void {
      store.writeAll();
      db.close();
    },
  };
}

export type MetricStoreHandlers = ReturnType<typeof metricStoreHandlers>;

/** `opening`: name that a damaged file got; undefined when it was intact. */
serveThread((limits: MetricWorkerData) => {
  let movedTo: string | undefined;
  const db = openMetricDatabase(join(limits.dataDir, metricFile), (name) => {
    movedTo = name;
  });
  return ok({ opening: movedTo, handlers: metricStoreHandlers(db, limits) });
});
