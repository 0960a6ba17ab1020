import { memo, type Ref } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { RowSource } from "./row-source.ts";
import { SelectBox, type Selection } from "./selection.tsx";
import { columnClass, type TableColumn } from "./table-column.ts";

export type TableRowProps = {
  item: StatusItem;
  index: number;
  columns: readonly TableColumn[];
  rows: RowSource;
  /** Selected rows; undefined when rows cannot be selected. */
  selection: Selection | undefined;
  className: string;
  onCursor: (id: string) => void;
  measure: Ref<HTMLTableRowElement>;
};

/** Row of a table. It is not rendered again while the table is scrolled, only when one of its properties changes. */
export const TableRow = memo(
  ({ item, index, columns, rows, selection, className, onCursor, measure }: TableRowProps) => {
    const { pending } = useAppContext();
    const isPending = useStoreValue(pending, (marks) => marks.some(({ id }) => id === item.id));
    const isShown = ({ isEmpty }: TableColumn): boolean => isPending || isEmpty?.(item) !== true;
    return (
      <tr
        ref={measure}
        data-index={index}
        data-id={item.id}
        data-status={item.statusName}
        aria-rowindex={index + 2}
        className={className}
        onFocus={() => onCursor(item.id)}
      >
        {selection !== undefined && (
          <td className="col-select">
            <SelectBox item={item} rows={rows} selection={selection} />
          </td>
        )}
        {columns.map(
          (column, at) =>
            isShown(column) && (
              <td
                key={column.id}
                className={columnClass(column)}
                data-label={column.header}
                colSpan={columns.slice(at + 1, at + 2).every(isShown) ? 1 : 2}
              >
                {column.cell(item)}
              </td>
            ),
        )}
      </tr>
    );
  },
);
TableRow.displayName = "TableRow";
