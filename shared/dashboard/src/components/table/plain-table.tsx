import type { ReactNode } from "react";
import "./plain-table.css";

export type PlainColumn<Row> = {
  /** Heading, and label of the cells where each row is a card. */
  readonly title: string;
  /** Shorter label for cards; empty for cells that need none. Default: the title. */
  readonly label?: string;
  /** Content of the heading. Default: the title. */
  readonly head?: ReactNode;
  /** True for the column that names the rows. */
  readonly isName?: boolean;
  /** Class of heading and cells: `number` for figures, which are on the right. */
  readonly className?: string;
  readonly cell: (row: Row) => ReactNode;
};

type PlainTableProps<Row> = {
  /** Name of the table for screen readers, where no heading is above it. */
  label?: string;
  className?: string;
  /** `false` is a column that is left out. */
  columns: readonly (PlainColumn<Row> | false)[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** Attributes of a row. */
  lookOf?: (row: Row) => { readonly className?: string; readonly "data-status"?: string };
};

/** Table without sorting and selection: a heading, and a line for each row. */
export function PlainTable<Row>({ label, className = "", columns, rows, keyOf, lookOf }: PlainTableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table className={`plain-table ${className}`} aria-label={label}>
      <thead>
        <tr>
          {shown.map(({ title, head = title, className }) => (
            <th key={title} scope="col" className={className}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} {...lookOf?.(row)}>
            {shown.map(({ title, label = title, isName, className, cell }) =>
              isName === true ? (
                <th key={title} scope="row" className={className}>
                  {cell(row)}
                </th>
              ) : (
                <td key={title} className={className} data-label={label || undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Heading of a column of buttons, which is for screen readers only. */
export const actionColumn = { title: "Actions", label: "", head: <span className="visually-hidden">Actions</span> };
