import { columnClass, type TableColumn } from "./table-column.ts";

type SortHeaderProps = { column: TableColumn; sort: string | undefined; onSort: (sort: string) => void };

/** Header of a column. A sortable one is a button; pressing it again reverses the order. */
export function SortHeader({ column, sort = "state", onSort }: SortHeaderProps) {
  const className = columnClass(column);
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
