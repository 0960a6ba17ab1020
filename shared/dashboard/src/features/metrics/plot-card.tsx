import { useId } from "react";
import { usePreference } from "../../api/context/app-context.tsx";
import { type DisplayUnit, displayUnit, formatIn, withSymbol } from "../../components/chart/format-quantity.ts";
import { type ChartSeries, LineChart, lineTones } from "../../components/chart/line-chart.tsx";
import { summarizePoints } from "../../components/chart/plot-line.ts";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { formatDateTime } from "../../components/time/format-date-time.ts";
import type { MetricLimits } from "./group-metrics.ts";
import type { PlotWindow } from "./metric-range.ts";

type PlotCardProps = {
  title: string;
  uom: string;
  series: readonly ChartSeries[];
  window: PlotWindow;
  limits?: MetricLimits;
  /** Value of the latest result, for a single series. Without it, the last point is shown, a mean over a step. */
  latestValue?: number | undefined;
  /** Values as a table in place of the plot. */
  asTable: boolean;
};

const noLimits: MetricLimits = { warn: [], crit: [] };

/** One small plot: last, lowest and highest value, the line with its thresholds, and the values as a table. */
export function PlotCard({ title, uom, series, window, limits = noLimits, latestValue, asTable }: PlotCardProps) {
  const id = useId();
  const latest = series.length === 1 ? latestValue : undefined;
  const summaries = series.map(({ name, points }) => ({ name, summary: summarizePoints(points, latest) }));
  const greatest = Math.max(
    0,
    ...summaries.map(({ summary }) => Math.max(Math.abs(summary?.max ?? 0), Math.abs(summary?.min ?? 0))),
  );
  const unit = displayUnit(greatest, uom);
  const only = series.length === 1 ? summaries[0]?.summary : undefined;
  const isEmpty = summaries.every(({ summary }) => summary === undefined);
  const shown = (value: number): string => withSymbol(formatIn(value, unit), unit);
  const spoken = summaries
    .flatMap(({ name, summary }) => {
      if (summary === undefined) return [];
      const values = `last ${shown(summary.last)}, lowest ${shown(summary.min)}, highest ${shown(summary.max)}`;
      return [series.length > 1 ? `${name}: ${values}` : values];
    })
    .join("; ");
  return (
    <figure className="plot" aria-labelledby={id}>
      <figcaption className="plot-head">
        <span id={id} className="plot-title">
          {title}
        </span>
        {only !== undefined && (
          <>
            <strong className="plot-last">{shown(only.last)}</strong>
            <span className="plot-ends muted">
              {formatIn(only.min, unit)} – {formatIn(only.max, unit)}
            </span>
          </>
        )}
        {only === undefined && !isEmpty && unit.symbol !== "" && <span className="muted">{unit.symbol}</span>}
      </figcaption>
      {isEmpty && <p className="muted plot-empty">No values in this range.</p>}
      {!isEmpty && asTable && <ValueTable title={title} series={series} unit={unit} />}
      {!isEmpty && !asTable && (
        <LineChart
          label={`${title}: ${spoken}`}
          series={series}
          range={{ from: window.fromMs, to: window.toMs }}
          stepMs={window.stepMs}
          unit={unit}
          warn={limits.warn}
          crit={limits.crit}
          shownValue={only?.last}
        />
      )}
      {!asTable && series.length > 1 && (
        <Keys lines={summaries.map(({ name, summary }) => ({ name, last: summary && shown(summary.last) }))} />
      )}
    </figure>
  );
}

function Keys({ lines }: { lines: readonly { readonly name: string; readonly last: string | undefined }[] }) {
  return (
    <ul className="plot-keys">
      {lines.map(({ name, last }, at) => (
        <li key={name}>
          <span className={`chart-key is-${at % lineTones}`} /> {name} {last && <strong>{last}</strong>}
        </li>
      ))}
    </ul>
  );
}

/** Most rows of a table of values: the newest ones. */
const maxRows = 200;

function ValueTable({ title, series, unit }: { title: string; series: readonly ChartSeries[]; unit: DisplayUnit }) {
  const zone = usePreference("zone");
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ atMs }) => atMs)))]
    .sort((a, b) => b - a)
    .slice(0, maxRows);
  const columns = series.map(({ name, points }) => ({
    name,
    values: new Map(points.map(({ atMs, value }) => [atMs, value])),
  }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area has to be reachable by keyboard.
    <section className="plot-table" tabIndex={0} aria-label={`Values of ${title}`}>
      <PlainTable
        rows={times}
        keyOf={(atMs) => atMs}
        columns={[
          { title: "Time", cell: (atMs) => formatDateTime(atMs, zone) },
          ...columns.map(({ name, values }) => ({
            ...{ title: unit.symbol === "" ? name : `${name} (${unit.symbol})`, className: "number" },
            cell: (atMs: number) => {
              const value = values.get(atMs);
              return value === undefined ? <span className="muted">–</span> : formatIn(value, unit);
            },
          })),
        ]}
      />
    </section>
  );
}
