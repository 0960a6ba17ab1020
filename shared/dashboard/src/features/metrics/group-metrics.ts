import type { PerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import { type AlertBand, alertBands } from "@realmwatch/shared/view/alert-bands";
import { unitFactor } from "@realmwatch/shared/view/unit-factor";

/** Metric of an object, as its datasource lists it. */
type ListedMetric = { readonly label: string; readonly uom: string };

/** Metrics that share a unit. */
type MetricGroup<T extends ListedMetric> = { readonly uom: string; readonly metrics: readonly T[] };

/** Groups metrics by unit: groups by the first of their labels, labels in natural order. */
export function groupByUnit<T extends ListedMetric>(metrics: readonly T[]): readonly MetricGroup<T>[] {
  const sorted = metrics.toSorted((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
  return [...Map.groupBy(sorted, ({ uom }) => uom)].map(([uom, group]) => ({ uom, metrics: group }));
}

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
