/** Ranges of plots by their name in the address, ms. */
export const metricRanges = {
  "1h": 3_600_000,
  "6h": 21_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
} as const;
export type MetricRange = keyof typeof metricRanges;

/** Range that the address names; 6 hours without one. */
export const metricRangeOf = (text: unknown): MetricRange =>
  typeof text === "string" && Object.hasOwn(metricRanges, text) ? (text as MetricRange) : "6h";

/** Number of points of a plot: about one every three pixels. */
const pointsPerPlot = 240;
const leastStepMs = 15_000;

export type PlotWindow = { readonly fromMs: number; readonly toMs: number; readonly stepMs: number };

/**
 * Window of the plots. It moves in whole steps, so that successive requests have the same steps and a plot does not
 * flicker between them.
 */
export function plotWindow(range: MetricRange, nowMs: number): PlotWindow {
  const lengthMs = metricRanges[range];
  const stepMs = Math.max(leastStepMs, Math.ceil(lengthMs / pointsPerPlot / 1_000) * 1_000);
  const toMs = Math.ceil(nowMs / stepMs) * stepMs;
  return { fromMs: toMs - lengthMs, toMs, stepMs };
}
