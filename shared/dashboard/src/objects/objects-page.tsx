import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useServerInfo } from "../api/server-info.ts";
import { useStatusFeed } from "../api/status-feed.ts";
import { PendingMarks } from "../commands/pending-marks.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FailureText } from "../parts/failure-text.tsx";
import { StatusBadge } from "../status/status-badge.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { useListKeys } from "../table/list-keys.ts";
import { useSelection } from "../table/selection.tsx";
import { Ago } from "../time/time-text.tsx";
import { usePageTitle } from "../title/page-title.ts";
import { BulkBar } from "./bulk-bar.tsx";
import type { ListSearch } from "./list-search.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import { ObjectLink, ObjectName } from "./object-link.tsx";
import { pickItems } from "./pick-items.ts";
import { QuietMarks } from "./quiet-marks.tsx";
import { SeverityChips } from "./severity-chips.tsx";
import { StaleMark } from "./stale-mark.tsx";
import { useSteadyRows } from "./steady-rows.ts";
import "./list.css";

/** Everything that is watched, of whatever state. */
export function ObjectsPage() {
  usePageTitle("All objects");
  const search = useSearch({ from: "/objects" });
  const navigate = useNavigate({ from: "/objects" });
  const { data, error } = useStatusFeed("everything");
  const { info } = useServerInfo();
  const selection = useSelection();
  const [cursor, setCursor] = useState<string>();
  const picked = useMemo(() => pickItems(data?.items.values() ?? [], { sort: "object", ...search }), [data, search]);
  const silent = new Set(data?.realms.filter(({ reachable }) => reachable === false).map(({ name }) => name));
  const rows = useSteadyRows(picked, JSON.stringify(search));
  const columns = useMemo(() => objectColumns(info?.aggregator === true), [info?.aggregator]);
  const change = (part: ListSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  useListKeys({ items: rows.shown, selection, cursor, setCursor });
  return (
    <>
      <header className="page-head">
        <h1>All objects</h1>
        <p className="page-count">
          {picked.length === data?.items.size ? picked.length : `${picked.length} of ${data?.items.size ?? 0}`}
        </p>
        <SeverityChips items={data?.items.values() ?? []} search={search} onChange={change} />
      </header>
      <ListToolbar search={search} onChange={change} realms={data?.realms ?? []} />
      <BulkBar items={picked} selection={selection} />
      {data === undefined && error !== null && <FailureText error={error} what="The server did not answer." />}
      {data === undefined && error === null && <EmptyState title="Asking the server…" />}
      {data !== undefined && rows.shown.length === 0 && (
        <EmptyState
          title={data.items.size === 0 ? "No objects are configured" : `The filter hides ${data.items.size} objects`}
        />
      )}
      {rows.shown.length > 0 && (
        <div
          onPointerMove={rows.onPointerMove}
          onPointerLeave={rows.release}
          className={`is-objects ${info?.aggregator ? "has-realms" : ""}`}
        >
          <DataTable
            caption="All objects"
            columns={columns}
            items={rows.shown}
            rowHeight={33}
            sort={search.sort ?? "object"}
            onSort={(sort) => change({ sort })}
            selection={selection}
            cursor={cursor}
            onCursor={setCursor}
            rowClass={(item) =>
              `${item.handled ? "is-handled" : ""} ${silent.has(item.realm) ? "is-stale" : ""} ${rows.gone.has(item.id) ? "is-gone" : ""}`
            }
          />
        </div>
      )}
    </>
  );
}

const columns: readonly Column[] = [
  {
    id: "state",
    header: "State",
    sortable: true,
    cell: (item) => <StatusBadge word={item.word} handled={item.handled} />,
  },
  {
    id: "object",
    header: "Object",
    sortable: true,
    cell: (item) => (
      <>
        <ObjectLink realm={item.realm} object={item.key}>
          <ObjectName object={item.key} />
        </ObjectLink>
        <StaleMark realm={item.realm} />
      </>
    ),
  },
  { id: "output", header: "Output", cell: (item) => <span className="output-lines">{item.row.output}</span> },
  { id: "realm", header: "Realm", sortable: true, cell: (item) => item.realm },
  { id: "since", header: "Since", sortable: true, cell: (item) => <Ago atMs={item.sinceMs} /> },
  { id: "checked", header: "Checked", sortable: true, cell: (item) => <Ago atMs={item.lastCheckAtMs} suffix=" ago" /> },
  {
    id: "marks",
    header: "Marks",
    cell: (item) => (
      <span className="marks">
        <QuietMarks item={item} />
        <PendingMarks item={item} />
      </span>
    ),
  },
];

const objectColumns = (aggregator: boolean): readonly Column[] =>
  columns.filter(({ id }) => aggregator || id !== "realm");
