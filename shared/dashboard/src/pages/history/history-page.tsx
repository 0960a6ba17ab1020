import { useNavigate, useSearch } from "@tanstack/react-router";
import { useStatusSnapshot } from "../../api/status/status-feed.ts";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { HistoryList } from "../../features/history/history-list.tsx";
import {
  type HistorySearch,
  historyGroupFilters,
  historyTypeFilters,
  historyTypesOf,
} from "../../features/history/history-search.ts";

/** History of all objects and realms, newest first. */
export function HistoryPage() {
  usePageTitle("History");
  const search = useSearch({ from: "/history" });
  const navigate = useNavigate({ from: "/history" });
  const { data } = useStatusSnapshot("overview");
  const change = (part: HistorySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <>
      <header className="page-head">
        <h1>History</h1>
      </header>
      <div className="toolbar">
        <select aria-label="Show" value={search.show ?? ""} onChange={(event) => change({ show: event.target.value })}>
          <option value="">Everything</option>
          <Options of={historyGroupFilters} />
          <optgroup label="Record type">
            <Options of={historyTypeFilters} />
          </optgroup>
        </select>
        {(data?.realms.length ?? 0) > 0 && (
          <select
            aria-label="Realm"
            value={search.realm ?? ""}
            onChange={(event) => change({ realm: event.target.value })}
          >
            <option value="">All realms</option>
            {data?.realms.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </div>
      <HistoryList request={{ realm: search.realm ?? "", types: historyTypesOf(search) }} withObject />
    </>
  );
}

function Options({ of }: { of: Readonly<Record<string, { readonly label: string }>> }) {
  return Object.entries(of).map(([value, { label }]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
