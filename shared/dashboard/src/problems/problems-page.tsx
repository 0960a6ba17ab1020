import { useMemo } from "react";
import { useServerInfo } from "../api/server-info.ts";
import { useSnapshot } from "../api/status-feed.ts";
import { ListToolbar } from "../objects/list-toolbar.tsx";
import { ObjectList } from "../objects/object-list.tsx";
import { PastBar } from "../objects/past-bar.tsx";
import { useListRows } from "../objects/past-rows.ts";
import { pickItems } from "../objects/pick-items.ts";
import { SeverityChips } from "../objects/severity-chips.tsx";
import { useListSearch } from "../objects/use-list-search.ts";
import { PastProvider } from "../services/shown-past.tsx";
import { usePageTitle } from "../title/page-title.ts";
import { useProblemCount } from "../title/problem-count.ts";
import { NoProblems } from "./no-problems.tsx";
import { problemColumns } from "./problem-columns.tsx";
import "../objects/list.css";

/** The landing page: what is wrong and nobody looks after, worst first. */
export function ProblemsPage() {
  usePageTitle("Problems");
  const [search, change] = useListSearch("/");
  const rows = useListRows(useSnapshot("problems"), search, true);
  const { info } = useServerInfo();
  const { items, pastMs } = rows;
  const showHandled = search.handled === "1";
  const problems = useMemo(
    () => [...(items?.values() ?? [])].filter((item) => showHandled || !item.handled),
    [items, showHandled],
  );
  const picked = useMemo(() => pickItems(problems, search), [problems, search]);
  const columns = useMemo(() => problemColumns(info?.aggregator === true), [info?.aggregator]);
  const unhandled = problems.filter(({ handled }) => !handled).length;
  return (
    <PastProvider atMs={pastMs}>
      <header className="page-head">
        <h1>Problems</h1>
        {pastMs === undefined ? <CountNow /> : items && <p className="page-count">{unhandled} unhandled then</p>}
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
    </PastProvider>
  );
}

function CountNow() {
  const { current, stale } = useProblemCount();
  return (
    <p className="page-count" aria-live="polite">
      {current} unhandled{stale > 0 && ` + ${stale} of unreachable realms`}
    </p>
  );
}
