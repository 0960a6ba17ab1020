import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { FoldedFilters } from "../../components/controls/folded-filters.tsx";
import { later } from "../../components/layout/later.tsx";
import { useNarrow } from "../../components/layout/use-narrow.ts";
import { ListFilters } from "./list-filters.tsx";
import { PastButton } from "./past-bar.tsx";
import { SearchField } from "./search/search-field.tsx";
import type { ViewOptionsProps } from "./view-options.tsx";

const ViewOptions = later(async () => (await import("./view-options.tsx")).ViewOptions);
const ViewMenu = lazy(async () => ({ default: (await import("./view-menu.tsx")).ViewMenu }));

/** Search field and filters of a list; on a narrow screen the filters are in a sheet. */
export function ListToolbar(props: ViewOptionsProps) {
  const { rows } = props;
  const { q = "", realm, kind, handled, soft, group, cols } = rows.search;
  const narrow = useNarrow();
  const change = useRef(rows.change);
  useEffect(() => {
    change.current = rows.change;
  });
  const searchFor = useCallback((q: string) => change.current({ q }), []);
  return (
    <search className="wrapped toolbar">
      <SearchField value={q} onChange={searchFor} rows={rows} />
      <FoldedFilters values={[realm, kind, handled, soft, group, cols]} done="Show the list">
        <ListFilters rows={rows} />
        <PastButton rows={rows} />
        {narrow ? <ViewOptions {...props} /> : <LazyViewMenu {...props} />}
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
