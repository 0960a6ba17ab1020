import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { FoldedFilters } from "../../components/controls/folded-filters.tsx";
import { useNarrow } from "../../components/layout/use-narrow.ts";
import { countFilters, ListFilters } from "./list-filters.tsx";
import type { ListSearch } from "./list-search.ts";
import type { ColumnId } from "./object-columns.tsx";
import { PastButton } from "./past-bar.tsx";
import { SearchField } from "./search/search-field.tsx";
import type { ObjectRows } from "./use-object-rows.ts";
import type { ViewOptionsProps } from "./view-options.tsx";

const ViewOptions = lazy(async () => ({ default: (await import("./view-options.tsx")).ViewOptions }));
const ViewMenu = lazy(async () => ({ default: (await import("./view-menu.tsx")).ViewMenu }));

type ListToolbarProps = {
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
      <FoldedFilters set={countFilters(search)} done="Show the list">
        <ListFilters search={search} onChange={onChange} forProblems={forProblems} />
        <PastButton search={search} onChange={onChange} />
        {narrow ? (
          <Suspense>
            <ViewOptions search={search} onChange={onChange} columns={columns} />
          </Suspense>
        ) : (
          <LazyViewMenu search={search} onChange={onChange} columns={columns} />
        )}
      </FoldedFilters>
    </search>
  );
}

/** Button of the view's options, whose code is loaded when it is first pressed. */
function LazyViewMenu(props: ViewOptionsProps) {
  const [pressed, setPressed] = useState(false);
  const button = (
    <ActionButton aria-haspopup="dialog" onClick={() => setPressed(true)}>
      View
    </ActionButton>
  );
  if (!pressed) return button;
  return (
    <Suspense fallback={button}>
      <ViewMenu {...props} />
    </Suspense>
  );
}
