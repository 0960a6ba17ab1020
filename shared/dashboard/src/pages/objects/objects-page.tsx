import { useMemo } from "react";
import { PastViewProvider } from "../../api/context/past-view.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useAllCurrent } from "../../api/status/stale-rows.ts";
import { useStatusFeed } from "../../api/status/status-feed.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { filterItems } from "../../features/object-list/filter-items.ts";
import { ListPlaceholder } from "../../features/object-list/list-placeholder.tsx";
import { useListRows } from "../../features/object-list/list-rows.ts";
import { ListToolbar } from "../../features/object-list/list-toolbar.tsx";
import { ObjectList } from "../../features/object-list/object-list.tsx";
import { PastBar } from "../../features/object-list/past-bar.tsx";
import { SeverityChips } from "../../features/object-list/severity-chips.tsx";
import { useListSearch } from "../../features/object-list/use-list-search.ts";
import { objectColumns } from "./objects-page-columns.tsx";
import "../../features/object-list/list.css";

/** List of all monitored objects. */
export function ObjectsPage() {
  usePageTitle("All objects");
  const [search, change] = useListSearch("/objects");
  const rows = useListRows(useStatusFeed("everything"), search, false);
  const { info } = useServerInfo();
  const { items } = rows;
  const sort = search.sort ?? "object";
  const picked = useMemo(() => filterItems(items?.values() ?? [], { ...search, sort }), [items, search, sort]);
  const columns = useMemo(() => objectColumns(info?.aggregator === true), [info?.aggregator]);
  const total = items?.size ?? 0;
  const noObjects = useAllCurrent() ? "No objects are configured" : "No objects are known yet";
  return (
    <PastViewProvider atMs={rows.pastMs}>
      <header className="page-head">
        <h1>All objects</h1>
        <p className="page-count">{picked.length === total ? total : `${picked.length} of ${total}`}</p>
        <SeverityChips items={items?.values() ?? []} search={search} onChange={change} />
      </header>
      <PastBar search={search} onChange={change} />
      <ListToolbar search={search} onChange={change} realms={rows.realms} />
      {items === undefined && <ListPlaceholder rows={rows} />}
      {items !== undefined && picked.length === 0 && (
        <EmptyState title={total === 0 ? noObjects : `The filter hides ${total} objects`} />
      )}
      {picked.length > 0 && (
        <ObjectList
          caption="All objects"
          items={picked}
          columns={columns}
          viewKey={JSON.stringify(search)}
          all={items ?? new Map()}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          look="is-objects"
        />
      )}
    </PastViewProvider>
  );
}
