import { parseSpanMs } from "../../components/time/wall-time.ts";
/** Ranges of plots by their name in the address. */
export const metricRanges = ["1h", "6h", "24h", "7d", "30d"] as const;
export type MetricRange = (typeof metricRanges)[number];

/** Number of points of a plot: about one every three pixels. */
const pointsPerPlot = 240;
const leastStepMs = 15_000;

export type PlotWindow = { readonly fromMs: number; readonly toMs: number; readonly stepMs: number };

/**
 * Window of the plots. It moves in whole steps, so that successive requests have the same steps and a plot does not
 * flicker between them.
 */
export function plotWindow(range: MetricRange, nowMs: number): PlotWindow {
  const lengthMs = parseSpanMs(range) ?? 0;
  const stepMs = Math.max(leastStepMs, Math.ceil(lengthMs / pointsPerPlot / 1_000) * 1_000);
  const toMs = Math.ceil(nowMs / stepMs) * stepMs;
  return { fromMs: toMs - lengthMs, toMs, stepMs };
}
