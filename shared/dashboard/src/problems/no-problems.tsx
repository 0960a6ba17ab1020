import { useSnapshot } from "../api/status-feed.ts";
import type { ListSearch } from "../objects/list-search.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { FailureText } from "../parts/failure-text.tsx";
import { Ago } from "../time/time-text.tsx";

type NoProblemsProps = {
  search: ListSearch;
  error: Error | null /** Problems that the filter leaves out. */;
  hidden: number;
  onChange: (part: ListSearch) => void;
};

const nothing = { q: "", realm: "", status: "", kind: "", soft: "" } as const;

/** Why the list is empty: all is well and that is known, nothing is configured, a filter hides it, or nothing is known. */
export function NoProblems({ search, error, hidden, onChange }: NoProblemsProps) {
  const { data } = useSnapshot("overview");
  const total = data?.summary?.counts.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const filtered = Object.keys(nothing).some((field) => (search[field as keyof ListSearch] ?? "") !== "");
  if (data === undefined)
    return error === null ? (
      <EmptyState title="Asking the server…" />
    ) : (
      <EmptyState title="Not connected" tone="bad">
        <FailureText error={error} what="The server did not answer." />
      </EmptyState>
    );
  if (filtered && hidden > 0)
    return (
      <EmptyState title={`The filter hides ${hidden} ${hidden === 1 ? "problem" : "problems"}`}>
        <button type="button" className="button" onClick={() => onChange({ ...nothing, handled: "1" })}>
          Show all problems
        </button>
      </EmptyState>
    );
  if (total === 0)
    return (
      <EmptyState title="No objects are configured">
        <p>Hosts, services and processes appear here once the configuration declares them.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={hidden > 0 ? "No unhandled problems" : "No problems"} tone="good">
      <p>
        {total} {total === 1 ? "object" : "objects"}, last update <Ago atMs={data.atMs} suffix=" ago" />
      </p>
      {hidden > 0 && (
        <button type="button" className="button" onClick={() => onChange({ handled: "1" })}>
          Show {hidden} handled
        </button>
      )}
    </EmptyState>
  );
}
