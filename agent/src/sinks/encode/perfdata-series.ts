import { type BaseUnit, baseUnitOf, scaleToBase } from "@realmwatch/shared/text/plugin/base-unit";
import { parseThreshold } from "@realmwatch/shared/text/plugin/threshold";
import type { MetricEntry } from "../sink-type.ts";
import { boundedCache } from "./bounded-cache.ts";

/** Name of a metric without the prefix `realmwatch_`. */
export type PerfdataMetric = "perfdata" | "perfdata_total" | "perfdata_threshold" | "perfdata_bound";

/** One value of a series that a point of performance data becomes, in the base unit. Empty labels are left out. */
export type PerfdataSeries = {
  readonly metric: PerfdataMetric;
  readonly label: string;
  readonly unit: string;
  /** Side of a threshold's range on which values alert; empty for other metrics. */
  readonly alert: "" | "inside" | "outside";
  /** End of a threshold's range, or kind of a bound; empty for other metrics. */
  readonly bound: "" | "lower" | "upper" | "min" | "max";
  readonly threshold: "" | "warn" | "crit";
  /** Undefined when the series has ended. */
  readonly value: number | undefined;
};

type ThresholdEnds = readonly (Pick<PerfdataSeries, "alert" | "bound"> & { readonly limit: number })[];

const cachedUnit = boundedCache<BaseUnit>(baseUnitOf);
const cachedEnds = boundedCache<ThresholdEnds>(thresholdEnds);

/** Series of a point: its value, and where it has them the ends of its thresholds and its bounds. At most 7. */
export function perfdataSeries({ label, value, uom, warn, crit, min, max }: MetricEntry): PerfdataSeries[] {
  const { name: unit, factor, isCounter } = cachedUnit(uom);
  const scale = (one: number): number | undefined => (value === undefined ? undefined : scaleToBase(one, factor));
  const own = { label, unit, alert: "", bound: "", threshold: "" } as const;
  const series: PerfdataSeries[] = [
    { ...own, metric: isCounter ? "perfdata_total" : "perfdata", value: scale(value ?? 0) },
  ];
  const addThreshold = (threshold: "warn" | "crit", text: string): void => {
    for (const { alert, bound, limit } of cachedEnds(text))
      series.push({ metric: "perfdata_threshold", label, unit, alert, bound, threshold, value: scale(limit) });
  };
  if (warn !== "") addThreshold("warn", warn);
  if (crit !== "") addThreshold("crit", crit);
  if (min !== undefined) series.push({ ...own, metric: "perfdata_bound", bound: "min", value: scale(min) });
  if (max !== undefined) series.push({ ...own, metric: "perfdata_bound", bound: "max", value: scale(max) });
  return series;
}

/** Finite ends of a threshold's range. The start 0 that a range such as `10` implies does not count. */
function thresholdEnds(text: string): ThresholdEnds {
  const parsed = parseThreshold(text);
  if (!parsed.ok) return [];
  const { start, end, alertInside } = parsed.value;
  const alert = alertInside ? "inside" : "outside";
  const hasStart = /[^:@\s]\s*:/.test(text);
  return [
    ...(hasStart && Number.isFinite(Number(start)) ? [{ alert, bound: "lower", limit: Number(start) } as const] : []),
    ...(Number.isFinite(Number(end)) ? [{ alert, bound: "upper", limit: Number(end) } as const] : []),
  ];
}

/** Threshold range with its ends in the base unit; an invalid one unchanged. */
export function scaleThreshold(text: string, factor: number): string {
  if (factor === 1) return text;
  const parsed = parseThreshold(text);
  if (!parsed.ok) return text;
  const { start, end, alertInside } = parsed.value;
  const from = start === -Infinity ? "~:" : start === 0 ? "" : `${scaleToBase(Number(start), factor)}:`;
  const to = end === Infinity ? "" : `${scaleToBase(Number(end), factor)}`;
  return `${alertInside ? "@" : ""}${from === "" && to === "" ? "0:" : from}${to}`;
}
