import type { PerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import { type AlertBand, alertBands } from "../../components/chart/threshold-bands.ts";

/** Metric of an object, as its datasource lists it. */
type ListedMetric = { readonly label: string; readonly uom: string };

/** Metrics that share a unit. */
type MetricGroup<T extends ListedMetric> = { readonly uom: string; readonly metrics: readonly T[] };

/** Groups metrics by unit: groups by the first of their labels, labels in natural order. */
export function groupByUnit<T extends ListedMetric>(metrics: readonly T[]): readonly MetricGroup<T>[] {
  const sorted = metrics.toSorted((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
  return [...Map.groupBy(sorted, ({ uom }) => uom)].map(([uom, group]) => ({ uom, metrics: group }));
}

/** Factor from a plugin's unit to the base unit that datasources keep, by unit; both have the same symbol elsewhere. */
const baseUnits: Readonly<Record<string, readonly [base: string, factor: number]>> = {
  us: ["s", 1e-6],
  ms: ["s", 1e-3],
  KB: ["B", 1e3],
  MB: ["B", 1e6],
  GB: ["B", 1e9],
  TB: ["B", 1e12],
};

export type MetricLimits = { readonly warn: readonly AlertBand[]; readonly crit: readonly AlertBand[] };

/**
 * Ranges of a metric that alert, by the thresholds of the latest result, in the unit of the datasource; none when the
 * result has no such metric, or one in a unit that cannot be converted.
 */
export function limitsOf({ label, uom }: ListedMetric, perfdata: readonly PerfPoint[]): MetricLimits {
  const point = perfdata.find((one) => one.label === label);
  const factor = point && unitFactor(point.uom, uom);
  if (point === undefined || factor === undefined) return { warn: [], crit: [] };
  const scaled = (text: string): readonly AlertBand[] =>
    alertBands(text).map(({ from, to }) => ({ from: from * factor, to: to * factor }));
  return { warn: scaled(point.warn), crit: scaled(point.crit) };
}

/**
 * Value of the latest result in the unit of the datasource, whose last point may be a mean of several results. Undefined
 * when the result has no such metric, or a counter, whose series may be kept as a rate.
 */
export function latestValueOf({ label, uom }: ListedMetric, perfdata: readonly PerfPoint[]): number | undefined {
  const point = perfdata.find((one) => one.label === label);
  const factor = point && point.uom !== "c" ? unitFactor(point.uom, uom) : undefined;
  return point?.value === undefined || factor === undefined ? undefined : point.value * factor;
}

/** Factor from a plugin's unit to that of the datasource; undefined when the one is not the other's base unit. */
function unitFactor(plugin: string, datasource: string): number | undefined {
  if (plugin === datasource || (plugin === "c" && datasource === "")) return 1;
  const [base, factor] = (Object.hasOwn(baseUnits, plugin) && baseUnits[plugin]) || [];
  return base === datasource ? factor : undefined;
}
