import { useMemo } from "react";
import { PastViewProvider } from "../../api/context/past-view.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useProblemCount } from "../../api/status/problem-count.ts";
import { useStatusSnapshot } from "../../api/status/status-feed.ts";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { filterItems } from "../../features/object-list/filter-items.ts";
import { useListRows } from "../../features/object-list/list-rows.ts";
import { ListToolbar } from "../../features/object-list/list-toolbar.tsx";
import { ObjectList } from "../../features/object-list/object-list.tsx";
import { PastBar } from "../../features/object-list/past-bar.tsx";
import { SeverityChips } from "../../features/object-list/severity-chips.tsx";
import { useListSearch } from "../../features/object-list/use-list-search.ts";
import { NoProblems } from "./no-problems.tsx";
import { problemColumns } from "./problems-page-columns.tsx";
import "../../features/object-list/list.css";

/** Start page: unhandled problems, most severe first. */
export function ProblemsPage() {
  usePageTitle("Problems");
  const [search, change] = useListSearch("/");
  const rows = useListRows(useStatusSnapshot("problems"), search, true);
  const { info } = useServerInfo();
  const { items, pastMs } = rows;
  const showHandled = search.handled === "1";
  const problems = useMemo(
    () => [...(items?.values() ?? [])].filter((item) => showHandled || !item.handled),
    [items, showHandled],
  );
  const picked = useMemo(() => filterItems(problems, search), [problems, search]);
  const columns = useMemo(() => problemColumns(info?.aggregator === true), [info?.aggregator]);
  const unhandled = problems.filter(({ handled }) => !handled).length;
  return (
    <PastViewProvider atMs={pastMs}>
      <header className="page-head">
        <h1>Problems</h1>
        {pastMs === undefined ? (
          <CountNow />
        ) : (
          items && <p className="page-count">{unhandled} unhandled at that time</p>
        )}
        <SeverityChips items={problems} search={search} onChange={change} />
      </header>
      <PastBar search={search} onChange={change} />
      <ListToolbar search={search} onChange={change} realms={rows.realms} forProblems />
      {picked.length === 0 ? (
        <NoProblems search={search} rows={rows} onChange={change} />
      ) : (
        <ObjectList
          caption="Problems"
          items={picked}
          columns={columns}
          viewKey={JSON.stringify(search)}
          all={items ?? new Map()}
          sort={search.sort ?? "state"}
          onSort={(sort) => change({ sort })}
          look="is-problems"
        />
      )}
    </PastViewProvider>
  );
}

function CountNow() {
  const { current, stale } = useProblemCount();
  return (
    <p className="page-count" aria-live="polite">
      {current} unhandled{stale > 0 && ` + ${stale} last known`}
    </p>
  );
}
