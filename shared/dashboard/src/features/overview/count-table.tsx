import type { Status } from "@realmwatch/shared/model/status";
import type { ReactNode } from "react";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import "../../components/table/plain-table.css";
import "./overview.css";

type CountTableProps = {
  title: string;
  /** Header of the first column. */
  of: string;
  columns: readonly Status[];
  children: ReactNode;
};

/** Table of numbers with a column for each status, below a title. */
export function CountTable({ title, of, columns, children }: CountTableProps) {
  return (
    <section className="panel-table">
      <h2>{title}</h2>
      <table className="plain-table card-table count-table">
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col" className="number">
              unhandled
            </th>
            {columns.map((status) => (
              <th key={status} scope="col" className="number">
                <span className="count-head" data-status={status}>
                  <StatusIcon status={status} /> {status}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
