import type { PerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import "../../components/table/plain-table.css";
import { displayUnit, formatIn, formatThresholdIn, withSymbol } from "../../components/chart/format-quantity.ts";

/** Performance data of the last result. */
export function PerfdataPanel({ points }: { points: readonly PerfPoint[] }) {
  if (points.length === 0) return null;
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
            <th scope="col" className="number">
              Warning
            </th>
            <th scope="col" className="number">
              Critical
            </th>
            <th scope="col" className="number">
              Min
            </th>
            <th scope="col" className="number">
              Max
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <PerfdataRow key={point.label} point={point} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** One metric; value, thresholds and bounds are in the unit of the value. */
function PerfdataRow({ point: { label, value, uom, warn, crit, min, max } }: { point: PerfPoint }) {
  const unit = displayUnit(Math.abs(value ?? max ?? 0), uom);
  return (
    <tr>
      <th scope="row">{label}</th>
      <td className="number">
        {value === undefined ? <span className="muted">unknown</span> : withSymbol(formatIn(value, unit), unit)}
      </td>
      <td className="number">{warn === "" ? <None /> : formatThresholdIn(warn, unit)}</td>
      <td className="number">{crit === "" ? <None /> : formatThresholdIn(crit, unit)}</td>
      <td className="number">{min === undefined ? <None /> : formatIn(min, unit)}</td>
      <td className="number">{max === undefined ? <None /> : formatIn(max, unit)}</td>
    </tr>
  );
}

const None = () => <span className="muted">–</span>;
