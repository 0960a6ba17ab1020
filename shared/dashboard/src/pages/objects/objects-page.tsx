import { useAllCurrent } from "../../api/status/stale-rows.ts";
import { totalOf } from "../../api/status/status-counts.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";

const columns = ["state", "object", "output", "marks", "realm", "since", "checked"] as const;

/** List of all monitored objects. */
export function ObjectsPage() {
  const rows = useObjectRows("everything");
  return (
    <ObjectListView title="All objects" count={rows.list?.total} rows={rows} columns={columns} empty={<NoObjects />} />
  );
}

/** Empty list with its cause: a filter, no configured objects, or no rows yet. */
function NoObjects() {
  const { summary } = useSummary({});
  const allCurrent = useAllCurrent();
  if (summary === undefined) return <EmptyState title="Loading…" />;
  const total = totalOf(summary);
  if (total > 0) return <EmptyState title={`The filter hides ${total} objects`} />;
  return <EmptyState title={allCurrent ? "No objects are configured" : "No objects are known yet"} />;
}
