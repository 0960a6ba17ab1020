import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { SelectAllBoxProps } from "./selection.tsx";
import type { TableRowProps } from "./table-row.tsx";
import "./table.css";
import { GroupRow } from "./group-row.tsx";
import type { RowGroup, RowSource } from "./row-source.ts";
import { SelectAllBox } from "./selection.tsx";
import { columnClass, type TableColumn } from "./table-column.ts";
import { TableRow } from "./table-row.tsx";

type DataTableProps = Pick<TableRowProps, "columns" | "rows" | "selection" | "onCursor"> &
  Pick<SelectAllBoxProps, "onSelectAll"> & {
    caption: string;
    /** Called with the first and the last index that are displayed. */
    onShow: (from: number, to: number) => void;
    /** Expected height of a row, px; rows are measured when they are rendered. */
    rowHeight: number;
    sort: string | undefined;
    onSort: (sort: string) => void;
    /** Selects all rows of a group, also those that are not loaded. */
    onSelectGroup: (group: RowGroup) => void;
    /** Folds or unfolds the group with a title. */
    onFold: (title: string) => void;
    /** Id of the row that keyboard shortcuts act on. */
    cursor: string | undefined;
    rowClass: (item: StatusItem) => string;
  };

/** Virtualised table: only the rows near the viewport are rendered, blank space replaces the others. */
export function DataTable(props: DataTableProps) {
  const { columns, rows: source, rowHeight, selection, cursor, onShow } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const scrollMargin = useTop(body);
  const rows = useWindowVirtualizer({
    count: source.count,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin,
    scrollPaddingStart: 120,
    scrollPaddingEnd: 60,
    getItemKey: (index) => source.at(index)?.id ?? source.groupAt?.(index)?.title ?? index,
    measureElement: heightWithHeading,
  });
  useCursorFocus(body, { cursor, scrollTo: (index) => rows.scrollToIndex(index, { align: "auto" }), source });
  const visible = rows.getVirtualItems();
  const [first, last] = [visible[0]?.index ?? 0, visible.at(-1)?.index ?? 0];
  useEffect(() => onShow(first, last), [onShow, first, last]);
  const width = columns.length + (selection === undefined ? 0 : 1);
  const before = (visible[0]?.start ?? scrollMargin) - scrollMargin;
  const after = rows.getTotalSize() - ((visible.at(-1)?.end ?? scrollMargin) - scrollMargin);
  return (
    <table className="card data-table" aria-rowcount={source.count + 1}>
      <caption className="visually-hidden">{props.caption}</caption>
      <TableHead {...props} />
      <tbody ref={body}>
        <Space height={before} columns={width} />
        {visible.map(({ index, key }) => (
          <TableLine key={key} {...props} index={index} measure={rows.measureElement} />
        ))}
        <Space height={after} columns={width} />
      </tbody>
    </table>
  );
}

type TableLineProps = DataTableProps & { index: number; measure: (element: HTMLElement | null) => void };

/** Row at an index, with the heading of the group that begins with it. A folded group is its heading only. */
function TableLine({ columns, rows, rowHeight, selection, index, measure, ...props }: TableLineProps) {
  const item = rows.at(index);
  const group = rows.groupAt?.(index);
  const width = columns.length + (selection === undefined ? 0 : 1);
  return (
    <>
      {group !== undefined && (
        <GroupRow
          group={group}
          columns={columns.length}
          selection={selection}
          onSelect={props.onSelectGroup}
          onFold={props.onFold}
          {...(group.folded ? { index, measure } : {})}
        />
      )}
      {item === undefined && group === undefined && <LoadingRow index={index} height={rowHeight} columns={width} />}
      {item !== undefined && (
        <TableRow
          item={item}
          index={index}
          columns={columns}
          rows={rows}
          selection={selection}
          className={props.rowClass(item)}
          onCursor={props.onCursor}
          measure={measure}
        />
      )}
    </>
  );
}

function TableHead({ columns, rows, sort, onSort, selection, onSelectAll }: DataTableProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection !== undefined && (
          <th scope="col" className="col-select">
            <SelectAllBox rows={rows} selection={selection} onSelectAll={onSelectAll} />
          </th>
        )}
        {columns.map((column) => (
          <SortHeader key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </tr>
    </thead>
  );
}

/** Height of a row, with that of the heading of its group if it is the first one, px. */
function heightWithHeading(row: HTMLElement): number {
  const heading = row.previousElementSibling;
  const above = heading?.classList.contains("group-row") === true ? heading.getBoundingClientRect().height : 0;
  return row.getBoundingClientRect().height + above;
}

/** Placeholder of a row that is being loaded. */
function LoadingRow({ index, height, columns }: { index: number; height: number; columns: number }) {
  return (
    <tr className="is-loading" data-index={index} aria-rowindex={index + 2}>
      <td colSpan={columns} style={{ height }}>
        <span className="visually-hidden">Loading…</span>
      </td>
    </tr>
  );
}

function Space({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a spacer without focusable content
    <tr className="space" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

/** Distance of the element from the top of the document, px; updated when the layout above it changes. */
function useTop(element: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      if (element.current !== null) setTop(Math.round(element.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

type CursorMove = { cursor: string | undefined; scrollTo: (index: number) => void; source: RowSource };

/** Scrolls the cursor's row into view and focuses its link, so that Enter and screen readers follow the cursor. */
function useCursorFocus(body: React.RefObject<HTMLElement | null>, { cursor, scrollTo, source }: CursorMove): void {
  const moved = useRef(cursor);
  useEffect(() => {
    if (cursor === undefined || cursor === moved.current) return;
    moved.current = cursor;
    const row = body.current?.querySelector(`tr[data-id="${CSS.escape(cursor)}"]`);
    if (row?.contains(document.activeElement)) return;
    scrollTo(source.indexOf(cursor));
    requestAnimationFrame(() => {
      const link = body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(cursor)}"] .object-link`);
      link?.focus({ preventScroll: true });
    });
  }, [cursor, body, scrollTo, source]);
}

type SortHeaderProps = { column: TableColumn; sort: string | undefined; onSort: (sort: string) => void };

/** Header of a column. A sortable one is a button; pressing it again reverses the order. */
function SortHeader({ column, sort = "state", onSort }: SortHeaderProps) {
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
