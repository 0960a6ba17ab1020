import { useNavigate, useSearch } from "@tanstack/react-router";
import { useSnapshot } from "../api/status-feed.ts";
import { usePageTitle } from "../title/page-title.ts";
import { HistoryList } from "./history-list.tsx";
import { type HistorySearch, historyGroups, historyTypes, typesOf } from "./history-search.ts";

/** What happened, everywhere, newest first. */
export function HistoryPage() {
  usePageTitle("History");
  const search = useSearch({ from: "/history" });
  const navigate = useNavigate({ from: "/history" });
  const { data } = useSnapshot("overview");
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
          <Options of={historyGroups} />
          <optgroup label="Only">
            <Options of={historyTypes} />
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
      <HistoryList request={{ realm: search.realm ?? "", types: typesOf(search) }} withObject />
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
