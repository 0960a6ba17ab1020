import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";
import "./table.css";
import { SelectAllBox, SelectBox, type Selection } from "./selection.tsx";
import { SortHeader } from "./sort-header.tsx";
import type { TableColumn } from "./table-column.ts";

type DataTableProps = {
  caption: string;
  columns: readonly TableColumn[];
  items: readonly StatusItem[];
  /** Expected height of a row, px; rows are measured when they are rendered. */
  rowHeight: number;
  sort: string | undefined;
  onSort: (sort: string) => void;
  /** Selected rows; undefined when rows cannot be selected. */
  selection: Selection | undefined;
  /** Id of the row that keyboard shortcuts act on. */
  cursor: string | undefined;
  onCursor: (id: string) => void;
  rowClass: (item: StatusItem) => string;
};

/** Virtualised table: only the rows near the viewport are rendered, blank space replaces the others. */
export function DataTable(props: DataTableProps) {
  const { caption, columns, items, rowHeight, selection, cursor } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const scrollMargin = useTop(body);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin,
    scrollPaddingStart: 120,
    scrollPaddingEnd: 60,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  useCursorFocus(body, { cursor, scrollTo: (index) => rows.scrollToIndex(index, { align: "auto" }), items });
  const visible = rows.getVirtualItems();
  const width = columns.length + (selection === undefined ? 0 : 1);
  const before = (visible[0]?.start ?? scrollMargin) - scrollMargin;
  const after = rows.getTotalSize() - ((visible.at(-1)?.end ?? scrollMargin) - scrollMargin);
  return (
    <table className="data-table" aria-rowcount={items.length + 1}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {selection !== undefined && (
            <th scope="col" className="col-select">
              <SelectAllBox items={items} selection={selection} />
            </th>
          )}
          {columns.map((column) => (
            <SortHeader key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <Space height={before} columns={width} />
        {visible.map(({ index }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <tr
              key={item.id}
              ref={rows.measureElement}
              data-index={index}
              data-id={item.id}
              data-status={item.statusName}
              aria-rowindex={index + 2}
              className={props.rowClass(item)}
              onFocus={() => props.onCursor(item.id)}
            >
              {selection !== undefined && (
                <td className="col-select">
                  <SelectBox item={item} items={items} selection={selection} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.id} className={`col-${column.id}`}>
                  {column.cell(item)}
                </td>
              ))}
            </tr>
          );
        })}
        <Space height={after} columns={width} />
      </tbody>
    </table>
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

type CursorMove = { cursor: string | undefined; scrollTo: (index: number) => void; items: readonly StatusItem[] };

/** Scrolls the cursor's row into view and focuses its link, so that Enter and screen readers follow the cursor. */
function useCursorFocus(body: React.RefObject<HTMLElement | null>, { cursor, scrollTo, items }: CursorMove): void {
  const moved = useRef(cursor);
  useEffect(() => {
    if (cursor === undefined || cursor === moved.current) return;
    moved.current = cursor;
    const row = body.current?.querySelector(`tr[data-id="${CSS.escape(cursor)}"]`);
    if (row?.contains(document.activeElement)) return;
    scrollTo(items.findIndex(({ id }) => id === cursor));
    requestAnimationFrame(() => {
      const link = body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(cursor)}"] .object-link`);
      link?.focus({ preventScroll: true });
    });
  }, [cursor, body, scrollTo, items]);
}
