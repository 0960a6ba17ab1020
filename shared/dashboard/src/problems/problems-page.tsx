import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useServerInfo } from "../api/server-info.ts";
import { useSnapshot } from "../api/status-feed.ts";
import { BulkBar } from "../objects/bulk-bar.tsx";
import type { ListSearch } from "../objects/list-search.ts";
import { ListToolbar } from "../objects/list-toolbar.tsx";
import { pickItems } from "../objects/pick-items.ts";
import { SeverityChips } from "../objects/severity-chips.tsx";
import { useSteadyRows } from "../objects/steady-rows.ts";
import { DataTable } from "../table/data-table.tsx";
import { useListKeys } from "../table/list-keys.ts";
import { useSelection } from "../table/selection.tsx";
import { usePageTitle } from "../title/page-title.ts";
import { useProblemCount } from "../title/problem-count.ts";
import { NoProblems } from "./no-problems.tsx";
import { problemColumns } from "./problem-columns.tsx";
import "../objects/list.css";

/** The landing page: what is wrong and nobody looks after, worst first. */
export function ProblemsPage() {
  usePageTitle("Problems");
  const search = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const { data, error } = useSnapshot("problems");
  const { info } = useServerInfo();
  const count = useProblemCount();
  const selection = useSelection();
  const [cursor, setCursor] = useState<string>();
  const showHandled = search.handled === "1";
  const problems = useMemo(
    () => [...(data?.items.values() ?? [])].filter((item) => showHandled || !item.handled),
    [data, showHandled],
  );
  const picked = useMemo(() => pickItems(problems, search), [problems, search]);
  const rows = useSteadyRows(picked, JSON.stringify(search));
  const silent = new Set(data?.realms.filter(({ reachable }) => reachable === false).map(({ name }) => name));
  const columns = useMemo(() => problemColumns(info?.aggregator === true), [info?.aggregator]);
  const change = (part: ListSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  useListKeys({ items: rows.shown, selection, cursor, setCursor });
  return (
    <>
      <header className="page-head">
        <h1>Problems</h1>
        <p className="page-count" aria-live="polite">
          {count.current} unhandled{count.stale > 0 && ` + ${count.stale} of unreachable realms`}
        </p>
        <SeverityChips items={problems} search={search} onChange={change} />
      </header>
      <ListToolbar search={search} onChange={change} realms={data?.realms ?? []} forProblems />
      <BulkBar items={picked} selection={selection} />
      {rows.waiting > 0 && (
        <button type="button" className="waiting-bar" onClick={rows.release}>
          {rows.waiting} new – show now
        </button>
      )}
      {rows.shown.length === 0 ? (
        <NoProblems search={search} error={error} hidden={(data?.items.size ?? 0) - picked.length} onChange={change} />
      ) : (
        <div
          onPointerMove={rows.onPointerMove}
          onPointerLeave={rows.release}
          className={`is-problems ${info?.aggregator ? "has-realms" : ""}`}
        >
          <DataTable
            caption="Problems"
            columns={columns}
            items={rows.shown}
            rowHeight={46}
            sort={search.sort}
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
