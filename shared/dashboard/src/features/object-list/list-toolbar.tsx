import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useNarrow } from "../../components/layout/use-narrow.ts";
import { countFilters, ListFilters } from "./list-filters.tsx";
import type { ListSearch } from "./list-search.ts";
import type { ColumnId } from "./object-columns.tsx";
import { PastButton } from "./past-bar.tsx";
import { SearchField } from "./search/search-field.tsx";
import type { ObjectRows } from "./use-object-rows.ts";
import type { ViewOptionsProps } from "./view-options.tsx";

const Sheet = lazy(async () => ({ default: (await import("../../components/controls/sheet.tsx")).Sheet }));
const ViewOptions = lazy(async () => ({ default: (await import("./view-options.tsx")).ViewOptions }));
const ViewMenu = lazy(async () => ({ default: (await import("./view-menu.tsx")).ViewMenu }));

export type ListToolbarProps = {
  search: ListSearch;
  onChange: (part: ListSearch) => void;
  rows: ObjectRows;
  forProblems: boolean;
  /** Columns that the page displays unless others are chosen. */
  columns: readonly ColumnId[];
};

/** Search field and filters of a list; on a narrow screen the filters are in a sheet. */
export function ListToolbar(props: ListToolbarProps) {
  const { search, onChange, rows, forProblems, columns } = props;
  const narrow = useNarrow();
  const change = useRef(onChange);
  useEffect(() => {
    change.current = onChange;
  });
  const searchFor = useCallback((q: string) => change.current({ q }), []);
  return (
    <search className="toolbar">
      <SearchField value={search.q ?? ""} onChange={searchFor} rows={rows} />
      {narrow ? (
        <FilterSheet {...props} />
      ) : (
        <>
          <ListFilters search={search} onChange={onChange} forProblems={forProblems} />
          <PastButton search={search} onChange={onChange} />
          <LazyViewMenu search={search} onChange={onChange} columns={columns} />
        </>
      )}
    </search>
  );
}

/** Button of the view's options, whose code is loaded when it is first pressed. */
function LazyViewMenu(props: ViewOptionsProps) {
  const [pressed, setPressed] = useState(false);
  const button = (
    <button type="button" className="button" aria-haspopup="dialog" onClick={() => setPressed(true)}>
      View
    </button>
  );
  if (!pressed) return button;
  return (
    <Suspense fallback={button}>
      <ViewMenu {...props} />
    </Suspense>
  );
}

function FilterSheet({ search, onChange, forProblems, columns }: ListToolbarProps) {
  const [open, setOpen] = useState(false);
  const set = countFilters(search);
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Filters{set > 0 && ` (${set})`}
      </button>
      {open && (
        <Suspense>
          <Sheet title="Filters" onClose={() => setOpen(false)}>
            <ListFilters search={search} onChange={onChange} forProblems={forProblems} />
            <PastButton search={search} onChange={onChange} />
            <ViewOptions search={search} onChange={onChange} columns={columns} />
            <button type="button" className="button is-primary" onClick={() => setOpen(false)}>
              Show the list
            </button>
          </Sheet>
        </Suspense>
      )}
    </>
  );
}
