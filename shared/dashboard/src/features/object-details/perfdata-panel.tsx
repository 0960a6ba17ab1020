import type { PerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import "../../components/table/plain-table.css";
import { formatQuantity } from "./format-quantity.ts";

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
            <tr key={point.label}>
              <th scope="row">{point.label}</th>
              <td className="number">
                {point.value === undefined ? (
                  <span className="muted">unknown</span>
                ) : (
                  formatQuantity(point.value, point.uom)
                )}
              </td>
              <td className="number">{point.warn || <None />}</td>
              <td className="number">{point.crit || <None />}</td>
              <td className="number">{point.min ?? <None />}</td>
              <td className="number">{point.max ?? <None />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const None = () => <span className="muted">–</span>;
