import type { PerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import "../../components/table/plain-table.css";
import { displayUnit, formatIn, formatThresholdIn, withSymbol } from "../../components/chart/format-quantity.ts";

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
    <section className="panel">
      <h2>Performance data</h2>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col" className="number">
              Value
            </th>
            {columns.map(({ key, header }) => (
              <th key={key} scope="col" className="number">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <PerfdataRow key={point.label} point={point} columns={columns} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type PerfdataRowProps = { point: PerfPoint; columns: readonly BoundColumn[] };

/** One metric; value, thresholds and bounds are in the unit of the value. */
function PerfdataRow({ point, columns }: PerfdataRowProps) {
  const { label, value, uom, max } = point;
  const unit = displayUnit(Math.abs(value ?? max ?? 0), uom);
  const textOf = (bound: string | number): string =>
    typeof bound === "string" ? formatThresholdIn(bound, unit) : formatIn(bound, unit);
  return (
    <tr>
      <th scope="row">{label}</th>
      <td className="number">
        {value === undefined ? <span className="muted">unknown</span> : withSymbol(formatIn(value, unit), unit)}
      </td>
      {columns.map(({ key }) => (
        <td key={key} className="number">
          {hasBound(point, key) ? textOf(point[key] ?? "") : <span className="muted">–</span>}
        </td>
      ))}
    </tr>
  );
}
