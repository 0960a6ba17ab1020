import type { PerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type DisplayUnit,
  displayUnit,
  formatIn,
  formatThresholdIn,
  withSymbol,
} from "../../components/chart/format-quantity.ts";
import { PlainTable } from "../../components/table/plain-table.tsx";

/** Columns after the name and the value. */
const boundColumns = [
  { key: "warn", header: "Warning" },
  { key: "crit", header: "Critical" },
  { key: "min", header: "Min" },
  { key: "max", header: "Max" },
] as const;

type BoundColumn = (typeof boundColumns)[number];

const hasBound = (point: PerfPoint, key: BoundColumn["key"]): boolean => point[key] !== undefined && point[key] !== "";

/** Performance data of the last result. A column that is empty in all rows is left out. */
export function PerfdataPanel({ points }: { points: readonly PerfPoint[] }) {
  if (points.length === 0) return null;
  const columns = boundColumns.filter(({ key }) => points.some((point) => hasBound(point, key)));
  return (
    <section className="card panel">
      <h2>Performance data</h2>
      <PlainTable
        rows={points.map(withUnit)}
        keyOf={({ point }) => point.label}
        columns={[
          { title: "Metric", isName: true, cell: ({ point }) => point.label },
          {
            ...{ title: "Value", className: "number" },
            cell: ({ point: { value }, unit }) =>
              value === undefined ? <span className="muted">unknown</span> : withSymbol(formatIn(value, unit), unit),
          },
          ...columns.map(({ key, header }) => ({
            ...{ title: header, className: "number" },
            cell: ({ point, unit }: PointInUnit) =>
              hasBound(point, key) ? formatBound(point[key] ?? "", unit) : <span className="muted">–</span>,
          })),
        ]}
      />
    </section>
  );
}

/** A point with the unit in which its value, thresholds and bounds are displayed: that of the value. */
type PointInUnit = { readonly point: PerfPoint; readonly unit: DisplayUnit };

const withUnit = (point: PerfPoint): PointInUnit => ({
  point,
  unit: displayUnit(Math.abs(point.value ?? point.max ?? 0), point.uom),
});

const formatBound = (bound: string | number, unit: DisplayUnit): string =>
  typeof bound === "string" ? formatThresholdIn(bound, unit) : formatIn(bound, unit);
