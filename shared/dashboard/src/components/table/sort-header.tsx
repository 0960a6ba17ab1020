import type { TableColumn } from "./table-column.ts";

type SortHeaderProps = { column: TableColumn; sort: string | undefined; onSort: (sort: string) => void };

/** A column's head; one that sorts is a button, and pressing it again turns the order round. */
export function SortHeader({ column, sort = "state", onSort }: SortHeaderProps) {
  const className = `col-${column.id}`;
  if (column.sortable !== true)
    return (
      <th scope="col" className={className}>
        {column.header}
      </th>
    );
  const [up, down] = [sort === column.id, sort === `-${column.id}`];
  return (
    <th scope="col" className={className} aria-sort={up ? "descending" : down ? "ascending" : undefined}>
      <button type="button" className="sort-button" onClick={() => onSort(up ? `-${column.id}` : column.id)}>
        {column.header}
        <span className="sort-mark" aria-hidden="true">
          {up ? "▾" : down ? "▴" : ""}
        </span>
      </button>
    </th>
  );
}
