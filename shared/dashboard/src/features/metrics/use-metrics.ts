import { durationFromMs, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { type ObjectMetric, type Panel, QueryService, type Series } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useRealm } from "../../api/status/overview.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { ChartSeries } from "../../components/chart/line-chart.tsx";
import { type MetricRange, type PlotWindow, plotWindow } from "./metric-range.ts";

/** Interval in which lists of metrics and panels are read again, ms. */
const listPollMs = 300_000;

type Answered<T> = { readonly data: T | undefined; readonly error: Error | null };

/**
 * Metrics that the default datasource has of an object. An agent that says that it has none is not asked, and neither is
 * a realm that is unreachable or, through an aggregator, about an object without performance data.
 */
export function useObjectMetrics({ realm, key: object, row }: StatusItem): Answered<readonly ObjectMetric[]> {
  const { info } = useServerInfo();
  const isReachable = useRealm(realm)?.reachable !== false;
  const { data, error } = useQuery(
    QueryService.method.listObjectMetrics,
    { realm, object: objectKeyToProto(object) },
    {
      enabled: info?.objectMetrics === true || (info?.aggregator === true && isReachable && row.perfdata.length > 0),
      refetchInterval: ({ state }) => (state.error === null ? listPollMs : false),
    },
  );
  return { data: data?.metrics, error };
}

/** Time for each plot after which the window of all of them moves on, ms: many plots are read less often than few. */
const moveAfterMs = 30_000;

/** Current window of a number of plots. */
export function usePlotWindow(range: MetricRange, plots: number): PlotWindow {
  const { now } = useAppContext();
  const [openedAtMs] = useState(() => now.get());
  const everyMs = Math.max(1, plots) * moveAfterMs;
  const atMs = useStoreValue(now, (nowMs) => openedAtMs + Math.floor((nowMs - openedAtMs) / everyMs) * everyMs);
  return plotWindow(range, atMs);
}

const windowOf = ({ fromMs, toMs, stepMs }: PlotWindow) => ({
  from: timestampFromMs(fromMs),
  to: timestampFromMs(toMs),
  step: durationFromMs(stepMs),
});

/** Series of one metric of an object. While a new window is loading, those of the window before. */
export function useMetricSeries(
  { realm, object, metric }: { readonly realm: string; readonly object: ObjectKey; readonly metric: string },
  window: PlotWindow,
): Answered<readonly ChartSeries[]> {
  const { data, error } = useQuery(
    QueryService.method.queryObjectMetric,
    { realm, object: objectKeyToProto(object), metric, ...windowOf(window) },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData },
  );
  return { data: data && chartSeries(data.series), error };
}

/** Series of a panel, and their unit. */
export function usePanelSeries(
  { name, realm }: Pick<Panel, "name" | "realm">,
  window: PlotWindow,
): Answered<{ readonly series: readonly ChartSeries[]; readonly unit: string }> {
  const { data, error } = useQuery(
    QueryService.method.queryPanel,
    { panel: name, realm, ...windowOf(window) },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData },
  );
  return { data: data && { series: chartSeries(data.series), unit: data.unit }, error };
}

/** Panels of a realm; undefined until the server has answered. */
export function usePanels(realm: string): readonly Panel[] | undefined {
  const { data } = useQuery(QueryService.method.listPanels, {}, { refetchInterval: listPollMs });
  return data?.panels.filter((panel) => panel.realm === realm);
}

/** Names of series are their labels where several share one name. */
function chartSeries(series: readonly Series[]): readonly ChartSeries[] {
  const counts = Map.groupBy(series, ({ name }) => name);
  return series.map(({ name, labels, points }) => ({
    name: (counts.get(name)?.length ?? 0) > 1 || name === "" ? labelText(labels) || name : name,
    points: points.flatMap(({ at, value }) => (at && Number.isFinite(value) ? [{ atMs: timestampMs(at), value }] : [])),
  }));
}

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
