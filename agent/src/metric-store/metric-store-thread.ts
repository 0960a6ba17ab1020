import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { never } from "@realmwatch/shared/model/never";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { serveThreadRequests } from "@realmwatch/shared/platform/process/thread-client";
import { averageSteps } from "./average-steps.ts";
import { storeMaintenance } from "./maintain-store.ts";
import { type MetricDatabase, metricFile, openMetricDatabase, type SeriesKey } from "./metric-database.ts";
import type {
  MetricThreadOpening,
  MetricThreadRequest,
  MetricThreadResponses,
  MetricWorkerData,
} from "./metric-store-protocol.ts";
import { SeriesStore } from "./series-store.ts";

type Request<Kind extends MetricThreadRequest["kind"]> = Extract<MetricThreadRequest, { kind: Kind }>;

/** Serves requests in the store's thread. */
function metricStoreHandler(db: MetricDatabase, limits: MetricWorkerData) {
  const store = new SeriesStore(db);
  const maintain = storeMaintenance({ db, store }, limits);
  /** Series by the number that requests use. */
  const keys: SeriesKey[] = [];
  const ids: number[] = [];

  function append({ series, numbers, times, values }: Request<"append">): null {
    keys.push(...series);
    // Besides new series, those that were removed because they had no points for long, or whose creation failed.
    const missing = [...new Set(numbers)].filter((number) => !store.has(ids[number] ?? -1));
    if (missing.length > 0)
      store.open(missing.map((number) => keys[number] as SeriesKey)).forEach((id, at) => {
        ids[missing[at] as number] = id;
      });
    const found = numbers.map((number) => ids[number] as number);
    store.add(found, times, values);
    return null;
  }

  function points({ ref, label, range, stepMs }: Request<"points">): MetricThreadResponses["points"] {
    return store.metricsOf(ref).flatMap((series) => {
      if (series.label !== label) return [];
      const all = store.points(series.id, range);
      if (all.length === 0) return [];
      const found = stepMs > 0 ? averageSteps(all, { fromMs: range.fromMs, stepMs }) : all;
      const times = Float64Array.from(found, ({ atMs }) => atMs);
      return [{ uom: series.uom, times, values: Float64Array.from(found, ({ value }) => value) }];
    });
  }

  return (request: MetricThreadRequest): MetricThreadResponses[keyof MetricThreadResponses] => {
    switch (request.kind) {
      case "append":
        return append(request);
      case "metrics":
        return store.metricsOf(request.ref).map(({ label, uom }) => ({ label, uom }));
      case "points":
        return points(request);
      case "maintain":
        store.writeOld(request.nowMs);
        maintain(request.nowMs);
        return { bytes: db.usedBytes(), series: store.size };
      case "close":
        store.writeAll();
        db.close();
        return null;
      default:
        return never(request);
    }
  };
}

if (parentPort) {
  const limits = workerData as MetricWorkerData;
  let movedTo: string | undefined;
  try {
    const db = openMetricDatabase(join(limits.dataDir, metricFile), (name) => {
      movedTo = name;
    });
    parentPort.postMessage({ kind: "opened", movedTo } satisfies MetricThreadOpening);
    serveThreadRequests<MetricThreadRequest>(parentPort, metricStoreHandler(db, limits));
  } catch (error) {
    const why = errorText(error);
    parentPort.postMessage({ kind: "refused", why } satisfies MetricThreadOpening);
  }
}
