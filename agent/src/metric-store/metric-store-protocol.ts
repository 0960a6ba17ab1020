import type { Interval } from "@realmwatch/shared/calendar/interval";
import type { SeriesKey } from "./metric-database.ts";

export type MetricWorkerData = {
  readonly dataDir: string;
  /** Age after which points are deleted, ms. */
  readonly retentionMs: number;
  /** Size of the used pages above which the oldest points are deleted, bytes. */
  readonly maxBytes: number;
};

/** Points to be added. */
export type PointAppend = {
  /** New series, in the order of their numbers, which continue those of earlier requests from 0 on. */
  readonly series: readonly SeriesKey[];
  /** Number of the series, time (Unix ms) and value of each point. */
  readonly numbers: Uint32Array;
  readonly times: Float64Array;
  readonly values: Float64Array;
};

export type PointQuery = {
  readonly ref: string;
  readonly label: string;
  readonly range: Interval;
  /** Points within a step are averaged; 0 for all points. */
  readonly stepMs: number;
};

/** Label of a metric and its unit as the plugin returned it. */
export type MetricLabel = { readonly label: string; readonly uom: string };
