import type { Interval } from "@realmwatch/shared/availability/interval";
import type { SeriesKey } from "./metric-database.ts";

export type MetricWorkerData = {
  readonly dataDir: string;
  /** Age after which points are deleted, ms. */
  readonly retentionMs: number;
  /** Size above which the oldest points are deleted, bytes. */
  readonly maxBytes: number;
};

export type MetricThreadOpening =
  | {
      readonly kind: "opened" /** Name that a damaged file got; undefined when it was intact. */;
      readonly movedTo?: string | undefined;
    }
  | { readonly kind: "refused"; readonly why: string };

export type MetricThreadRequest =
  | {
      readonly kind: "append";
      /** New series, in the order of their numbers, which continue those of earlier requests from 0 on. */
      readonly series: readonly SeriesKey[];
      /** Number of the series, time (Unix ms) and value of each point. */
      readonly numbers: Uint32Array;
      readonly times: Float64Array;
      readonly values: Float64Array;
    }
  | { readonly kind: "metrics"; readonly ref: string }
  | {
      readonly kind: "points";
      readonly ref: string;
      readonly label: string;
      readonly range: Interval;
      /** Points within a step are averaged; 0 for all points. */
      readonly stepMs: number;
    }
  | { readonly kind: "maintain"; readonly nowMs: number }
  | { readonly kind: "close" };

/** Label of a metric and its unit as the plugin returned it. */
export type MetricLabel = { readonly label: string; readonly uom: string };

export type MetricThreadResponses = {
  readonly append: null;
  readonly metrics: readonly MetricLabel[];
  /** One entry for each unit that the metric had. */
  readonly points: readonly { readonly uom: string; readonly times: Float64Array; readonly values: Float64Array }[];
  readonly maintain: { readonly bytes: number; readonly series: number };
  readonly close: null;
};
