import type { AlertBand } from "@realmwatch/shared/view/alert-bands";
import { type PointerEvent, useState } from "react";
import { usePreference } from "../../api/context/app-context.tsx";
import { formatDateTime, formatDayOfMonth, formatMinute } from "../time/format-date-time.ts";
import { type DisplayUnit, formatIn, withSymbol } from "./format-quantity.ts";
import { lineSegments, nearestPoint, type PlotPoint, usualGapMs } from "./plot-line.ts";
import { axisTicks, type Extent, plotExtent, timeTicks } from "./scale.ts";
import { useWidth } from "./use-width.ts";
import "./chart.css";

/** One line of a chart. Its points are sorted by time. */
export type ChartSeries = { readonly name: string; readonly points: readonly PlotPoint[] };

type LineChartProps = {
  /** Text for screen readers: the name of the metric and a summary of its values. */
  label: string;
  series: readonly ChartSeries[];
  range: Extent;
  stepMs: number;
  unit: DisplayUnit;
  warn?: readonly AlertBand[];
  crit?: readonly AlertBand[];
  /** Value that is shown beside the plot, which the value axis contains too. */
  shownValue?: number | undefined;
};

/** Area of a plot: where times and values lie in it, px, and what its axes cover. */
type Area = {
  readonly x: (atMs: number) => number;
  readonly y: (value: number) => number;
  readonly right: number;
  readonly bottom: number;
  readonly range: Extent;
  readonly extent: Extent;
};

const height = 136;
const inset = { left: 48, right: 8, top: 8, bottom: 20 } as const;

/** Plot of values over time with the ranges that alert. A pointer shows the values at its time. */
export function LineChart({ label, series, range, stepMs, unit, warn = [], crit = [], shownValue }: LineChartProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const [hoverMs, setHoverMs] = useState<number>();
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  const ends = [...warn, ...crit].flatMap(({ from, to }) => [from, to]);
  const extent = plotExtent(shownValue === undefined ? values : [...values, shownValue], ends);
  const right = Math.max(inset.left + 1, width - inset.right);
  const bottom = height - inset.bottom;
  const x = (atMs: number): number =>
    inset.left + ((atMs - range.from) / (range.to - range.from)) * (right - inset.left);
  const y = (value: number): number =>
    bottom - ((value - extent.from) / (extent.to - extent.from)) * (bottom - inset.top);
  const area = { x, y, right, bottom, range, extent };
  const follow = (event: PointerEvent<SVGSVGElement>): void => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const share = Math.min(1, Math.max(0, (left - inset.left) / (right - inset.left)));
    setHoverMs(range.from + share * (range.to - range.from));
  };
  return (
    <div className="chart" ref={element}>
      {width > 0 && (
        <svg
          role="img"
          aria-label={label}
          width={width}
          height={height}
          onPointerMove={follow}
          onPointerLeave={() => setHoverMs(undefined)}
        >
          <Bands bands={warn} tone="warning" area={area} />
          <Bands bands={crit} tone="critical" area={area} />
          <ValueAxis area={area} unit={unit} />
          <TimeAxis area={area} />
          {series.map(({ name, points }, at) => (
            <path
              key={name}
              className={`chart-line is-${at % lineTones}`}
              d={pathOf(lineSegments(points, usualGapMs(points, stepMs)), area)}
            />
          ))}
          {hoverMs !== undefined && <Crosshair series={series} hoverMs={hoverMs} area={area} />}
        </svg>
      )}
      {hoverMs !== undefined && <Readout {...{ series, hoverMs, unit, x: x(hoverMs), width }} />}
    </div>
  );
}

/** Number of line colours; further lines repeat them. */
export const lineTones = 6;

function pathOf(segments: readonly (readonly PlotPoint[])[], { x, y }: Area): string {
  return segments
    .map((points) => {
      const text = points.map(({ atMs, value }) => `${x(atMs).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
      // A line of no length is drawn as a dot, because its ends are round.
      return points.length === 1 ? `M${text}h.01` : `M${text}`;
    })
    .join("");
}

type BandsProps = { bands: readonly AlertBand[]; tone: "warning" | "critical"; area: Area };

function Bands({ bands, tone, area: { extent, y, right } }: BandsProps) {
  return bands
    .filter(({ from, to }) => from < extent.to && to > extent.from)
    .map(({ from, to }) => {
      const [top, low] = [y(Math.min(to, extent.to)), y(Math.max(from, extent.from))];
      const edges = [from, to].filter((end) => end > extent.from && end < extent.to);
      return (
        <g key={`${from}:${to}`} className={`chart-band is-${tone}`}>
          <rect x={inset.left} y={top} width={right - inset.left} height={Math.max(1, low - top)} />
          {edges.map((end) => (
            <line key={end} x1={inset.left} x2={right} y1={y(end)} y2={y(end)} />
          ))}
        </g>
      );
    });
}

function ValueAxis({ area: { extent, y, right }, unit }: { area: Area; unit: DisplayUnit }) {
  const { divisor } = unit;
  const ticks = axisTicks({ from: extent.from / divisor, to: extent.to / divisor }, 3);
  return ticks.map((tick) => (
    <g key={tick} className="chart-axis">
      <line x1={inset.left} x2={right} y1={y(tick * divisor)} y2={y(tick * divisor)} />
      <text x={inset.left - 6} y={y(tick * divisor)} dy="0.32em" textAnchor="end">
        {formatIn(tick, { divisor: 1, symbol: "" })}
      </text>
    </g>
  ));
}

function TimeAxis({ area: { range, x, right, bottom } }: { area: Area }) {
  const zone = usePreference("zone");
  const offsetMs = zone === "utc" ? 0 : -new Date(range.to).getTimezoneOffset() * 60_000;
  const ticks = timeTicks(range, Math.max(2, Math.floor((right - inset.left) / 110)), offsetMs);
  const isDays = range.to - range.from > 3 * 86_400_000;
  return ticks.map((atMs) => (
    <text key={atMs} className="chart-time" x={x(atMs)} y={bottom + 14} textAnchor="middle">
      {isDays ? formatDayOfMonth(atMs, zone) : formatMinute(atMs, zone)}
    </text>
  ));
}

type CrosshairProps = { series: readonly ChartSeries[]; hoverMs: number; area: Area };

function Crosshair({ series, hoverMs, area: { x, y, bottom } }: CrosshairProps) {
  return (
    <g className="chart-cross">
      <line x1={x(hoverMs)} x2={x(hoverMs)} y1={inset.top} y2={bottom} />
      {series.map(({ name, points }, at) => {
        const point = points[nearestPoint(points, hoverMs)];
        return (
          point && <circle key={name} className={`is-${at % lineTones}`} cx={x(point.atMs)} cy={y(point.value)} r={3} />
        );
      })}
    </g>
  );
}

type ReadoutProps = { series: readonly ChartSeries[]; hoverMs: number; unit: DisplayUnit; x: number; width: number };

/** Values at the pointer, beside it. */
function Readout({ series, hoverMs, unit, x, width }: ReadoutProps) {
  const zone = usePreference("zone");
  const points = series.flatMap(({ name, points: all }, at) => {
    const point = all[nearestPoint(all, hoverMs)];
    return point === undefined ? [] : [{ name, point, at }];
  });
  const first = points[0];
  if (first === undefined) return null;
  const isLeft = x > width / 2;
  return (
    <div className="chart-readout" style={isLeft ? { right: width - x + 10 } : { left: x + 10 }} aria-hidden="true">
      <div className="muted">{formatDateTime(first.point.atMs, zone)}</div>
      {points.map(({ name, point, at }) => (
        <div key={name}>
          {series.length > 1 && <span className={`chart-key is-${at % lineTones}`} />}
          <strong>{withSymbol(formatIn(point.value, unit), unit)}</strong> {series.length > 1 && name}
        </div>
      ))}
    </div>
  );
}
