import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusCount } from "@realmwatch/proto/svc/v1/query_pb";
import { useStatusSnapshot } from "../../api/status/status-feed.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";
import { ListPlaceholder } from "../../features/object-list/list-placeholder.tsx";
import { type ListRows, usePastSummary } from "../../features/object-list/list-rows.ts";
import type { ListSearch } from "../../features/object-list/list-search.ts";

type NoProblemsProps = { search: ListSearch; rows: ListRows; onChange: (part: ListSearch) => void };

const nothing = { q: "", realm: "", status: "", kind: "", soft: "" } as const;

/** Why the list is empty: all is well and that is known, nothing is configured, a filter hides it, or nothing is known. */
export function NoProblems({ search, rows, onChange }: NoProblemsProps) {
  const filtered = Object.keys(nothing).some((field) => (search[field as keyof ListSearch] ?? "") !== "");
  if (rows.items === undefined) return <ListPlaceholder rows={rows} />;
  const hidden = rows.items.size;
  if (filtered && hidden > 0)
    return (
      <EmptyState title={`The filter hides ${hidden} ${hidden === 1 ? "problem" : "problems"}`}>
        <button type="button" className="button" onClick={() => onChange({ ...nothing, handled: "1" })}>
          Show all problems
        </button>
      </EmptyState>
    );
  const known = { hidden, onChange };
  return rows.pastMs === undefined ? <AllOk {...known} /> : <AllOkInPast {...known} atMs={rows.pastMs} />;
}

type AllOkProps = { hidden: number; onChange: (part: ListSearch) => void };

function AllOk({ hidden, onChange }: AllOkProps) {
  const { data } = useStatusSnapshot("overview");
  const total = data?.summary?.counts.reduce((sum, { count }) => sum + count, 0) ?? 0;
  if (data === undefined) return <EmptyState title="Asking the server…" />;
  if (total === 0)
    return (
      <EmptyState title="No objects are configured">
        <p>Hosts, services and processes appear here once the configuration declares them.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={hidden > 0 ? "No unhandled problems" : "No problems"} tone="good">
      <p>
        {objects(total)}, last update <TimeAgo atMs={data.atMs} suffix=" ago" />
      </p>
      <ShowHandled hidden={hidden} onChange={onChange} />
    </EmptyState>
  );
}

/** Green only where something was known then: before the first check nobody had a problem either. */
function AllOkInPast({ hidden, onChange, atMs }: AllOkProps & { atMs: number }) {
  const { data, error } = usePastSummary(atMs);
  if (error !== null) return <FailureText error={error} what="What was known then could not be looked up." />;
  if (data === undefined) return <EmptyState title="Looking back…" />;
  const { total, pending } = countsOf(data.summary?.counts ?? []);
  if (total === pending)
    return (
      <EmptyState title="Nothing was known at that time">
        <p>History does not reach back so far: there was no result of any of {objects(total)}.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={`${hidden > 0 ? "No unhandled problems" : "No problems"} at that time`} tone="good">
      <p>
        {objects(total)}
        {pending > 0 && `, ${pending} of them without a result then`}
      </p>
      <ShowHandled hidden={hidden} onChange={onChange} />
    </EmptyState>
  );
}

const objects = (count: number): string => `${count} ${count === 1 ? "object" : "objects"}`;

function ShowHandled({ hidden, onChange }: AllOkProps) {
  if (hidden === 0) return null;
  return (
    <button type="button" className="button" onClick={() => onChange({ handled: "1" })}>
      Show {hidden} handled
    </button>
  );
}

function countsOf(counts: readonly StatusCount[]): { total: number; pending: number } {
  const sum = (of: readonly StatusCount[]): number => of.reduce((all, { count }) => all + count, 0);
  return { total: sum(counts), pending: sum(counts.filter(({ status }) => status === Status.PENDING)) };
}
