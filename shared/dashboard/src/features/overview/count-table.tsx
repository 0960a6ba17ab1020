import type { Status } from "@realmwatch/shared/model/status";
import type { ReactNode } from "react";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { type PlainColumn, PlainTable } from "../../components/table/plain-table.tsx";
import "./overview.css";

type CountTableProps<Row> = {
  title: string;
  /** Column that names the rows. */
  name: Pick<PlainColumn<Row>, "title" | "cell">;
  unhandled: PlainColumn<Row>["cell"];
  statuses: readonly Status[];
  countOf: (row: Row, status: Status) => ReactNode;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  lookOf?: (row: Row) => { readonly className?: string };
};

/** Table of numbers with a column for each status, below a title. */
export function CountTable<Row>({ title, name, unhandled, statuses, countOf, ...rows }: CountTableProps<Row>) {
  return (
    <section className="panel-table">
      <h2>{title}</h2>
      <PlainTable
        className="card card-table count-table"
        columns={[
          { ...name, isName: true },
          { title: "unhandled", className: "number", cell: unhandled },
          ...statuses.map((status) => ({
            ...{ title: status, className: "number" },
            head: (
              <span className="count-head" data-status={status}>
                <StatusIcon status={status} /> {status}
              </span>
            ),
            cell: (row: Row) => countOf(row, status),
          })),
        ]}
        {...rows}
      />
    </section>
  );
}
