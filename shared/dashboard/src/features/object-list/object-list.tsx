import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import { usePastView } from "../../api/context/past-view.ts";
import { useStoreValue } from "../../api/context/value-store.ts";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { itemAt, type ListPages, loadedItems, pageRows } from "../../api/status/list-pages.ts";
import { useIsStale } from "../../api/status/stale-rows.ts";
import { type StatusItem, statusItemsOf } from "../../api/status/status-item.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { DataTable } from "../../components/table/data-table.tsx";
import type { RowGroup, RowSource } from "../../components/table/row-source.ts";
import { type Selection, useSelection } from "../../components/table/selection.tsx";
import type { TableColumn } from "../../components/table/table-column.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { type Grouping, type GroupLabels, groupLabelOf, groupRows, parseGrouping } from "./group-rows.ts";
import { useGroupLabels } from "./use-group-labels.ts";
import { useListKeys } from "./use-list-keys.ts";
import type { ObjectRows } from "./use-object-rows.ts";
import { useReturnRow } from "./use-return-row.ts";

type ObjectListProps = {
  caption: string;
  rows: ObjectRows;
  /** Loaded pages of `rows`. */
  list: ListPages;
  columns: readonly TableColumn[];
};

/** Largest number of rows that are loaded to be grouped. */
const maxGroupedRows = 2_000;
const ignore = (): void => undefined;

const classNames = (names: Readonly<Record<string, boolean | undefined>>): string =>
  Object.keys(names)
    .filter((name) => names[name])
    .join(" ");

/** Expected heights of rows, px. */
const rowHeights = { "is-problems": 46, "is-objects": 30 } as const;

/**
 * List of objects with keyboard navigation, selection and bulk actions. The order holds while the pointer is on the
 * list, a row has the cursor, or anything is selected; a bar then says that the list has changed.
 */
export function ObjectList({ caption, rows, list, columns }: ObjectListProps) {
  const grouping = parseGrouping(rows.search.group);
  const look = rows.scope === "problems" ? "is-problems" : "is-objects";
  const past = usePastView() !== undefined;
  const wall = useWall();
  const selection = useSelection();
  const [cursor, setCursor] = useState<string>();
  const [pointed, setPointed] = useState(false);
  const [folded, toggleFolded] = useFolded();
  const labels = useGroupLabels(grouping, { selector: rows.selector, onlyProblems: look === "is-problems" });
  const source = useMemo(() => sourceOf(list, grouping, { labels, folded }), [list, grouping, labels, folded]);
  useRowsToGroup(rows, grouping, list.length);
  const { selectAll, selectGroup } = useSelectWhole(rows, source, { selection, grouping });
  const commandsAvailable = !past && !wall;
  useListKeys({ rows: source, selection, cursor, setCursor, onSelectAll: selectAll, commandsAvailable });
  useReturnRow(source, cursor, setCursor);
  // A wall has no hand to wait for: a pointer left on its list must not stop it.
  const held = !wall && (pointed || cursor !== undefined || selection.items.size > 0);
  useRefresh(rows, list, held);
  const waits = list.outdated && held;
  useHeldMark(waits);
  useCursorInPlace(source, cursor, setCursor);
  const rowClass = useRowClass(list, cursor, selection);
  return (
    <>
      <div className="list-bars">
        {waits && <WaitingBar list={list} onShow={() => void rows.refresh()} />}
        {grouping !== undefined && list.length > maxGroupedRows && (
          <p className="waiting-bar">Groups have the first {maxGroupedRows} rows: narrow the list down</p>
        )}
        {!past && <BulkBar selection={selection} />}
      </div>
      <div
        onPointerEnter={() => setPointed(true)}
        onPointerLeave={() => setPointed(false)}
        className={classNames({ [look]: true, "is-past": past, "is-loading": rows.loading })}
      >
        <DataTable
          caption={caption}
          columns={columns}
          rows={source}
          onShow={grouping === undefined ? rows.show : ignore}
          rowHeight={rowHeights[look]}
          sort={rows.sortColumn}
          onSort={(sort) => rows.change({ sort })}
          selection={commandsAvailable ? selection : undefined}
          onSelectAll={selectAll}
          onSelectGroup={selectGroup}
          onFold={toggleFolded}
          cursor={cursor}
          onCursor={setCursor}
          rowClass={rowClass}
        />
      </div>
    </>
  );
}

/** Titles of the groups that are folded, and a function that folds or unfolds one. */
function useFolded(): readonly [folded: ReadonlySet<string>, toggle: (title: string) => void] {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((title: string) => {
    setFolded((before) => {
      const after = new Set(before);
      if (!after.delete(title)) after.add(title);
      return after;
    });
  }, []);
  return [folded, toggle];
}

/** Groups are made of loaded rows, so all of them are loaded, up to a limit. */
function useRowsToGroup({ show }: ObjectRows, grouping: Grouping | undefined, length: number): void {
  useEffect(() => {
    if (grouping !== undefined) show(0, Math.min(length, maxGroupedRows) - 1);
  }, [grouping, length, show]);
}

function useRowClass(list: ListPages, cursor: string | undefined, selection: Selection): (item: StatusItem) => string {
  const isStale = useIsStale();
  return (item) =>
    classNames({
      "is-handled": item.handled,
      "is-stale": isStale(item),
      "is-late": item.row.overdue,
      "is-removed": list.removed.has(item.id),
      "is-cursor": item.id === cursor,
      "is-selected": selection.has(item.id),
    });
}

/**
 * Loads an outdated list anew, unless its order is held. A list that only the operator's own commands have changed is
 * loaded anew in any case: their effect is expected.
 */
function useRefresh({ refresh }: ObjectRows, list: ListPages, held: boolean): void {
  const { pending } = useAppContext();
  const sent = useRef(new Set<string>());
  const marks = useStoreValue(pending);
  for (const { id } of marks) sent.current.add(id);
  const { removed, outdated } = list;
  useEffect(() => {
    const isOwn = removed.size > 0 && [...removed].every((id) => sent.current.has(id));
    if (isOwn) pending.set((before) => before.filter(({ id }) => !removed.has(id)));
    if (outdated && (isOwn || !held)) void refresh();
  }, [removed, outdated, held, refresh, pending]);
}

/** Tells the frame of the page that the order of a changed list is held. */
function useHeldMark(held: boolean): void {
  const { listHeld } = useAppContext();
  useEffect(() => {
    listHeld.set(held);
    return () => listHeld.set(false);
  }, [held, listHeld]);
}

/** Moves the cursor to the row in its place when its own row has left the list. */
function useCursorInPlace(
  rows: RowSource,
  cursor: string | undefined,
  setCursor: (id: string | undefined) => void,
): void {
  const place = useRef(0);
  const at = cursor === undefined ? -1 : rows.indexOf(cursor);
  useEffect(() => {
    if (at >= 0) place.current = at;
    else if (cursor !== undefined && rows.count > 0) setCursor(rows.at(Math.min(place.current, rows.count - 1))?.id);
  }, [at, cursor, rows, setCursor]);
}

/** Bar of a list that has changed while its order holds. */
function WaitingBar({ list: { total, length, removed }, onShow }: { list: ListPages; onShow: () => void }) {
  const added = total - length + removed.size;
  return (
    <button type="button" className="waiting-bar" onClick={onShow}>
      {added > 0 ? `${added} new – show now` : "The list has changed – show now"}
    </button>
  );
}

type Grouped = { readonly labels: GroupLabels | undefined; readonly folded: ReadonlySet<string> };

/** Rows of a list, in groups once the labels that they are grouped by are known. */
const sourceOf = (list: ListPages, grouping: Grouping | undefined, { labels, folded }: Grouped): RowSource =>
  grouping === undefined || labels === undefined
    ? rowSourceOf(list)
    : groupRows(loadedItems(list), grouping, { labels, folded });

function rowSourceOf(list: ListPages): RowSource {
  const loaded = loadedItems(list);
  const indexes = new Map<string, number>();
  for (const [number, items] of list.pages)
    for (const [at, { id }] of items.entries()) indexes.set(id, number * pageRows + at);
  return { count: list.length, at: (index) => itemAt(list, index), loaded, indexOf: (id) => indexes.get(id) ?? -1 };
}

/** Selects all rows that match, or all of a group, as the server has them now where not all of them are loaded. */
function useSelectWhole(
  { fetchAll, list }: ObjectRows,
  { loaded }: RowSource,
  { selection, grouping }: { selection: Selection; grouping: Grouping | undefined },
) {
  const { notices } = useAppContext();
  const isWhole = list !== undefined && loadedItems(list).length >= list.total;
  const fetchRows = (selector: string, select: (items: readonly StatusItem[]) => void): void =>
    void fetchAll(selector)
      .then(({ rows }) => select(statusItemsOf(rows)))
      .catch((error: unknown) =>
        addNotice(notices, "failed", `The rows could not be selected: ${serverFailureOf(error).message}`),
      );
  return {
    selectAll: (): void => (loaded.length >= (list?.total ?? 0) ? selection.set(loaded) : fetchRows("", selection.set)),
    selectGroup({ items, selector, has }: RowGroup): void {
      const add = (added: readonly StatusItem[]): void => selection.set([...selection.items.values(), ...added]);
      if (isWhole) add(items);
      // The labels of rows that were not loaded are not known: the selector decides.
      else fetchRows(selector, (found) => add(groupLabelOf(grouping) === undefined ? found.filter(has) : found));
    },
  };
}
