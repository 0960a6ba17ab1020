import { useMemo } from "react";
import { useServerInfo } from "../api/server-info.ts";
import { useSnapshot } from "../api/status-feed.ts";
import { ListToolbar } from "../objects/list-toolbar.tsx";
import { ObjectList } from "../objects/object-list.tsx";
import { pickItems } from "../objects/pick-items.ts";
import { SeverityChips } from "../objects/severity-chips.tsx";
import { useListSearch } from "../objects/use-list-search.ts";
import { usePageTitle } from "../title/page-title.ts";
import { useProblemCount } from "../title/problem-count.ts";
import { NoProblems } from "./no-problems.tsx";
import { problemColumns } from "./problem-columns.tsx";
import "../objects/list.css";

/** The landing page: what is wrong and nobody looks after, worst first. */
export function ProblemsPage() {
  usePageTitle("Problems");
  const [search, change] = useListSearch("/");
  const { data, error } = useSnapshot("problems");
  const { info } = useServerInfo();
  const count = useProblemCount();
  const items = data?.items;
  const showHandled = search.handled === "1";
  const problems = useMemo(
    () => [...(items?.values() ?? [])].filter((item) => showHandled || !item.handled),
    [items, showHandled],
  );
  const picked = useMemo(() => pickItems(problems, search), [problems, search]);
  const columns = useMemo(() => problemColumns(info?.aggregator === true), [info?.aggregator]);
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
      {picked.length === 0 ? (
        <NoProblems search={search} error={error} hidden={items?.size ?? 0} onChange={change} />
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
    </>
  );
}
