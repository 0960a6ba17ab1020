import { useSnapshot } from "../api/status-feed.ts";
import type { ListSearch } from "../objects/list-search.ts";
import { NoRows } from "../objects/no-rows.tsx";
import type { ListRows } from "../objects/past-rows.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { Ago } from "../time/time-text.tsx";

type NoProblemsProps = { search: ListSearch; rows: ListRows; onChange: (part: ListSearch) => void };

const nothing = { q: "", realm: "", status: "", kind: "", soft: "" } as const;

/** Why the list is empty: all is well and that is known, nothing is configured, a filter hides it, or nothing is known. */
export function NoProblems({ search, rows, onChange }: NoProblemsProps) {
  const filtered = Object.keys(nothing).some((field) => (search[field as keyof ListSearch] ?? "") !== "");
  if (rows.items === undefined) return <NoRows rows={rows} />;
  const hidden = rows.items.size;
  if (filtered && hidden > 0)
    return (
      <EmptyState title={`The filter hides ${hidden} ${hidden === 1 ? "problem" : "problems"}`}>
        <button type="button" className="button" onClick={() => onChange({ ...nothing, handled: "1" })}>
          Show all problems
        </button>
      </EmptyState>
    );
  return <AllWell hidden={hidden} pastMs={rows.pastMs} onChange={onChange} />;
}

type AllWellProps = { hidden: number; pastMs: number | undefined; onChange: (part: ListSearch) => void };

function AllWell({ hidden, pastMs, onChange }: AllWellProps) {
  const { data } = useSnapshot("overview");
  const total = data?.summary?.counts.reduce((sum, { count }) => sum + count, 0) ?? 0;
  if (data === undefined) return <EmptyState title="Asking the server…" />;
  if (total === 0)
    return (
      <EmptyState title="No objects are configured">
        <p>Hosts, services and processes appear here once the configuration declares them.</p>
      </EmptyState>
    );
  const then = pastMs === undefined ? "" : " at that time";
  return (
    <EmptyState title={`${hidden > 0 ? "No unhandled problems" : "No problems"}${then}`} tone="good">
      {pastMs === undefined && (
        <p>
          {total} {total === 1 ? "object" : "objects"}, last update <Ago atMs={data.atMs} suffix=" ago" />
        </p>
      )}
      {hidden > 0 && (
        <button type="button" className="button" onClick={() => onChange({ handled: "1" })}>
          Show {hidden} handled
        </button>
      )}
    </EmptyState>
  );
}
