import { counted } from "@realmwatch/shared/view/plural";
import { useOverview } from "../../api/status/overview.ts";
import { useAllCurrent } from "../../api/status/stale-rows.ts";
import { countsByStatus, totalOf } from "../../api/status/status-counts.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";
import type { ListSearch } from "../../features/object-list/list-search.ts";
import type { ObjectRows } from "../../features/object-list/use-object-rows.ts";

const noFilter = { q: "", realm: "", status: "", kind: "", soft: "" } as const;

/** Empty list with its cause: no problems, no configured objects, or a filter. */
export function NoProblems({ rows: { search, pastMs, change } }: { rows: ObjectRows }) {
  const filtered = Object.keys(noFilter).some((field) => (search[field as keyof ListSearch] ?? "") !== "");
  const at = pastMs === undefined ? {} : { atMs: pastMs };
  const { summary, error } = useSummary({ problemsOnly: true, ...at });
  if (error !== null) return <FailureText error={error} what="The number of problems is not available." />;
  if (summary === undefined) return <EmptyState title="Loading…" />;
  const hidden = totalOf(summary);
  if (filtered && hidden > 0)
    return (
      <EmptyState title={`The filter hides ${counted(hidden, "problem")}`}>
        <ActionButton onClick={() => change({ ...noFilter, handled: "1" })}>Show all problems</ActionButton>
      </EmptyState>
    );
  const known = { hidden, onChange: change };
  return pastMs === undefined ? <AllOk {...known} /> : <AllOkInPast {...known} atMs={pastMs} />;
}

type AllOkProps = { hidden: number; onChange: (part: ListSearch) => void };

/** Green only while every realm is current: rows that are missing or old may be problems. */
function AllOk({ hidden, onChange }: AllOkProps) {
  const { data } = useOverview();
  const { summary } = useSummary({});
  const allCurrent = useAllCurrent();
  const total = totalOf(summary);
  const lastKnown = totalOf(summary?.lastKnown);
  if (data === undefined || summary === undefined) return <EmptyState title="Loading…" />;
  if (total === 0 && !allCurrent)
    return (
      <EmptyState title="No objects are known yet">
        <p>Not every realm is current.</p>
      </EmptyState>
    );
  if (total === 0)
    return (
      <EmptyState title="No objects are configured">
        <p>Hosts, services and processes appear here once the configuration declares them.</p>
        <p>
          <a href="/docs/" className="page-link">
            How to declare them
          </a>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState
      title={`${hidden > 0 ? "No unhandled problems" : "No problems"}${allCurrent ? "" : " are known"}`}
      tone={allCurrent ? "good" : "plain"}
    >
      {!allCurrent && <p>Not every realm is current.</p>}
      <p>
        {counted(total, "object")}
        {lastKnown > 0 && `, ${lastKnown} of them last known`}, last update <TimeAgo atMs={data.atMs} suffix=" ago" />
      </p>
      <ShowHandled hidden={hidden} onChange={onChange} />
    </EmptyState>
  );
}

/** Green only if some object had a result at that time: before its first check an object has no problem either. */
function AllOkInPast({ hidden, onChange, atMs }: AllOkProps & { atMs: number }) {
  const { summary, error } = useSummary({ atMs });
  if (error !== null) return <FailureText error={error} what="The past state is not available." />;
  if (summary === undefined) return <EmptyState title="Loading the past state…" />;
  const total = totalOf(summary);
  const pending = countsByStatus(summary).get("pending") ?? 0;
  if (total === pending)
    return (
      <EmptyState title="No state is known for that time">
        <p>History does not reach back that far: none of {counted(total, "object")} has a recorded result.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={`${hidden > 0 ? "No unhandled problems" : "No problems"} at that time`} tone="good">
      <p>
        {counted(total, "object")}
        {pending > 0 && `, ${pending} of them without a recorded result`}
      </p>
      <ShowHandled hidden={hidden} onChange={onChange} />
    </EmptyState>
  );
}

function ShowHandled({ hidden, onChange }: AllOkProps) {
  if (hidden === 0) return null;
  return <ActionButton onClick={() => onChange({ handled: "1" })}>Show {hidden} handled</ActionButton>;
}
