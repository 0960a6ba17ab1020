import { Code } from "@connectrpc/connect";
import type { ObjectMetric, Panel } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { useState } from "react";
import { serverCodeOf } from "../../api/server/server-failure.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { useChoiceParam } from "../../components/controls/use-search-param.ts";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { groupByUnit, latestValueOf, limitsOf } from "./group-metrics.ts";
import { metricRanges, type PlotWindow } from "./metric-range.ts";
import { PlotCard } from "./plot-card.tsx";
import { useMatchingPanels } from "./use-matching-panels.ts";
import { useMetricSeries, useObjectMetrics, usePanelSeries, usePlotWindow } from "./use-metrics.ts";
import "../../components/table/plain-table.css";
import "./metrics.css";

/** Plots that are shown before a press on "Show all". */
const firstPlots = 12;

/** Plots of the object's performance data and of the panels that select it; nothing when there are none. */
export function MetricsPanel({ item }: { item: StatusItem }) {
  const { key: object, realm, row } = item;
  const [range, choose] = useChoiceParam("range", metricRanges, "6h");
  const [asTable, setAsTable] = useState(false);
  const { info } = useServerInfo();
  const { data: metrics, error } = useObjectMetrics(item);
  const panels = useMatchingPanels(realm, object);
  const window = usePlotWindow(range, (metrics?.length ?? 0) + panels.length);
  const isWithout = info?.aggregator !== true && info?.objectMetrics !== true;
  const isUnavailable = error !== null && !isNotOffered(error);
  if ((metrics?.length ?? 0) === 0 && panels.length === 0 && !isUnavailable)
    return row.perfdata.length > 0 && (error !== null || isWithout) ? <NoDatasource /> : null;
  return (
    <section className="card panel" aria-labelledby="metrics-title">
      <header className="panel-head metrics-head">
        <h2 id="metrics-title">Metrics</h2>
        <RangeChoice label="Range of the plots" choices={metricRanges} value={range} onChange={choose} />
        <ActionButton tone="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "Plots" : "Table"}
        </ActionButton>
      </header>
      {isUnavailable && <FailureText error={error} what="Metrics are not available." />}
      <MetricPlots {...{ realm, object, window, asTable }} metrics={metrics ?? []} perfdata={row.perfdata} />
      {panels.length > 0 && (
        <div className="plots">
          {panels.map((panel) => (
            <PanelPlot key={panel.name} panel={panel} window={window} asTable={asTable} />
          ))}
        </div>
      )}
    </section>
  );
}

/** True when the realm has no datasource for metrics, or its program does not offer them. */
const isNotOffered = (error: Error): boolean =>
  [Code.FailedPrecondition, Code.Unimplemented, Code.NotFound].includes(serverCodeOf(error));

/** One line in place of the plots: the way to have some. */
function NoDatasource() {
  return (
    <p className="muted metrics-none">
      No plots: this realm records no metrics. A datasource with <code>type: "local", default: true</code> in its
      configuration does.
    </p>
  );
}

type MetricPlotsProps = {
  realm: string;
  object: ObjectKey;
  metrics: readonly ObjectMetric[];
  perfdata: StatusItem["row"]["perfdata"];
  window: PlotWindow;
  asTable: boolean;
};

/** Small multiples by unit. */
function MetricPlots({ realm, object, metrics, perfdata, window, asTable }: MetricPlotsProps) {
  const [all, setAll] = useState(false);
  const groups = groupByUnit(all ? metrics : metrics.slice(0, firstPlots));
  return (
    <>
      {groups.length > 0 && (
        <div className="plots">
          {groups.flatMap(({ metrics: group }) =>
            group.map((metric) => (
              <MetricPlot key={metric.label} {...{ realm, object, metric, perfdata, window, asTable }} />
            )),
          )}
        </div>
      )}
      {!all && metrics.length > firstPlots && (
        <button type="button" className="button plots-more" onClick={() => setAll(true)}>
          Show all {metrics.length} metrics
        </button>
      )}
    </>
  );
}

type MetricPlotProps = Omit<MetricPlotsProps, "metrics"> & { metric: ObjectMetric };

function MetricPlot({ realm, object, metric, perfdata, window, asTable }: MetricPlotProps) {
  const { data, error } = useMetricSeries({ realm, object, metric: metric.label }, window);
  if (error !== null) return <FailureText error={error} what={`${metric.label} is not available.`} />;
  if (data === undefined) return <div className="plot is-loading" />;
  return (
    <PlotCard
      title={metric.label}
      uom={metric.uom}
      series={data}
      window={window}
      limits={limitsOf(metric, perfdata)}
      latestValue={latestValueOf(metric, perfdata)}
      asTable={asTable}
    />
  );
}

function PanelPlot({ panel, window, asTable }: { panel: Panel; window: PlotWindow; asTable: boolean }) {
  const { data, error } = usePanelSeries(panel, window);
  const title = panel.title || panel.name;
  if (error !== null) return <FailureText error={error} what={`Panel “${title}” is not available.`} />;
  if (data === undefined) return <div className="plot is-loading" />;
  return (
    <PlotCard title={title} uom={data.unit || panel.unit} series={data.series} window={window} asTable={asTable} />
  );
}
