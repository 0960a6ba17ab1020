import { useState } from "react";
import { usePastView } from "../../api/context/past-view.tsx";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { DataTable } from "../../components/table/data-table.tsx";
import { useSelection } from "../../components/table/selection.tsx";
import type { TableColumn } from "../../components/table/table-column.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { useStableRows } from "./stable-rows.ts";
import { useListKeys } from "./use-list-keys.ts";

type ObjectListProps = {
  caption: string;
  /** Filtered and sorted items. */
  items: readonly StatusItem[];
  columns: readonly TableColumn[];
  /** Key of filter and sort order: when it changes, rows need not stay in place. */
  viewKey: string;
  /** All items by id, including those that the filter hides. */
  all: ReadonlyMap<string, StatusItem>;
  sort: string;
  onSort: (sort: string) => void;
  look: "is-problems" | "is-objects";
};

/** Expected heights of rows, px. */
const rowHeights = { "is-problems": 46, "is-objects": 30 } as const;

/** List of objects with keyboard navigation, selection and bulk actions. Rows stay in place under the pointer. */
export function ObjectList({ caption, items, columns, viewKey, all, sort, onSort, look }: ObjectListProps) {
  const isStale = useIsStale();
  const past = usePastView() !== undefined;
  const selection = useSelection();
  const [cursor, setCursor] = useState<string>();
  const rows = useStableRows(items, { viewKey, all });
  useListKeys({ items: rows.shown, selection, cursor, setCursor, commandsAvailable: !past });
  const rowClass = (item: StatusItem): string =>
    [
      item.handled && "is-handled",
      isStale(item) && "is-stale",
      rows.removed.has(item.id) && "is-removed",
      item.id === cursor && "is-cursor",
      selection.ids.has(item.id) && "is-selected",
    ]
      .filter(Boolean)
      .join(" ");
  return (
    <>
      {!past && <BulkBar items={items} selection={selection} />}
      {rows.waiting > 0 && (
        <button type="button" className="waiting-bar" onClick={rows.release}>
          {rows.waiting} new – show now
        </button>
      )}
      <div onPointerMove={rows.onPointerMove} onPointerLeave={rows.release} className={past ? `${look} is-past` : look}>
        <DataTable
          caption={caption}
          columns={columns}
          items={rows.shown}
          rowHeight={rowHeights[look]}
          sort={sort}
          onSort={onSort}
          selection={past ? undefined : selection}
          cursor={cursor}
          onCursor={setCursor}
          rowClass={rowClass}
        />
      </div>
    </>
  );
}
