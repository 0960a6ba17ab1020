import { useMemo } from "react";
import { useServerInfo } from "../api/server-info.ts";
import { useStatusFeed } from "../api/status-feed.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { PastProvider } from "../services/shown-past.tsx";
import { usePageTitle } from "../title/page-title.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import { NoRows } from "./no-rows.tsx";
import { objectColumns } from "./object-columns.tsx";
import { ObjectList } from "./object-list.tsx";
import { PastBar } from "./past-bar.tsx";
import { useListRows } from "./past-rows.ts";
import { pickItems } from "./pick-items.ts";
import { SeverityChips } from "./severity-chips.tsx";
import { useListSearch } from "./use-list-search.ts";
import "./list.css";

/** Everything that is watched, of whatever state. */
export function ObjectsPage() {
  usePageTitle("All objects");
  const [search, change] = useListSearch("/objects");
  const rows = useListRows(useStatusFeed("everything"), search, false);
  const { info } = useServerInfo();
  const { items } = rows;
  const sort = search.sort ?? "object";
  const picked = useMemo(() => pickItems(items?.values() ?? [], { ...search, sort }), [items, search, sort]);
  const columns = useMemo(() => objectColumns(info?.aggregator === true), [info?.aggregator]);
  const total = items?.size ?? 0;
  return (
    <PastProvider atMs={rows.pastMs}>
      <header className="page-head">
        <h1>All objects</h1>
        <p className="page-count">{picked.length === total ? total : `${picked.length} of ${total}`}</p>
        <SeverityChips items={items?.values() ?? []} search={search} onChange={change} />
      </header>
      <PastBar search={search} onChange={change} />
      <ListToolbar search={search} onChange={change} realms={rows.realms} />
      {items === undefined && <NoRows rows={rows} />}
      {items !== undefined && picked.length === 0 && (
        <EmptyState title={total === 0 ? "No objects are configured" : `The filter hides ${total} objects`} />
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
    </PastProvider>
  );
}
