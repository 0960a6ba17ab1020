import { averageSteps } from "./average-steps.ts";
import { decodeChunk, encodeChunk } from "./chunk-codec.ts";
import type { ChunkRow, MetricDatabase } from "./metric-database.ts";
import type { MetricPoint } from "./metric-point.ts";
import type { MetricWorkerData } from "./metric-store-protocol.ts";
import { pointsPerChunk, type SeriesStore } from "./series-store.ts";

type MaintenanceLimits = Pick<MetricWorkerData, "retentionMs" | "maxBytes">;

/** Share of the retention after which points are averaged. */
const averagedAfterShare = 0.25;
/** Step of averages, ms. */
const averageStepMs = 300_000;
/** Time between two searches for series without points, ms: a search reads all series. */
const cleanUpIntervalMs = 600_000;
/** Chunks that one run averages, and rows that it deletes at most. */
const perRun = { averaged: 2_000, deleted: 5_000, series: 500, pages: 500 } as const;

/**
 * Opens the maintenance of a store. Each run deletes what is older than the retention or above the size limit, averages
 * points after a quarter of the retention, and sometimes removes series without points; what is left over is done by
 * the next runs.
 */
export function storeMaintenance(
  { db, store }: { readonly db: MetricDatabase; readonly store: SeriesStore },
  { retentionMs, maxBytes }: MaintenanceLimits,
): (nowMs: number) => void {
  let cleanedAtMs = 0;
  const cleanUp = (nowMs: number): void => {
    if (nowMs - cleanedAtMs < cleanUpIntervalMs) return;
    cleanedAtMs = nowMs;
    for (const id of db.emptySeries(perRun.series)) if (store.forget(id)) db.deleteSeries(id);
  };
  return (nowMs) => {
    const expiredMs = nowMs - retentionMs;
    db.transaction(() => {
      for (const level of [0, 1] as const) db.deleteOldest(level, expiredMs, perRun.deleted);
      db.deleteHeads(expiredMs, perRun.deleted);
      for (const chunk of db.oldestChunks(0, nowMs - retentionMs * averagedAfterShare, perRun.averaged))
        averageChunk(db, chunk);
      cleanUp(nowMs);
    });
    if (db.usedBytes() > maxBytes)
      db.transaction(() => {
        const deleted = db.deleteOldest(1, Number.MAX_SAFE_INTEGER, perRun.deleted);
        if (deleted < perRun.deleted) db.deleteOldest(0, Number.MAX_SAFE_INTEGER, perRun.deleted - deleted);
      });
    db.shrink(perRun.pages);
  };
}

/** Replaces a chunk by averages, which continue the series' last chunk of averages while that has room. */
function averageChunk(db: MetricDatabase, chunk: ChunkRow): void {
  const { series } = chunk;
  db.removeChunk(chunk.id);
  const averages = averageSteps(decodeChunk(chunk.data), { fromMs: 0, stepMs: averageStepMs });
  const last = db.lastAverages(series);
  const before = last === undefined ? [] : decodeChunk(last.data);
  const hasRoom = last !== undefined && before.length + averages.length <= pointsPerChunk && last.toMs < chunk.fromMs;
  if (hasRoom) db.removeChunk(last.id);
  const points: readonly MetricPoint[] = hasRoom ? [...before, ...averages] : averages;
  const [fromMs, toMs] = [points[0]?.atMs ?? chunk.fromMs, points.at(-1)?.atMs ?? chunk.toMs];
  db.addChunk({ series, level: 1, fromMs, toMs, data: encodeChunk(points) });
}
