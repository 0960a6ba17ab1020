import { useAllCurrent } from "../../api/status/stale-rows.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { UnmappedAlertTable } from "../../features/alerts/unmapped-alert-table.tsx";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";

const columns = ["state", "object", "late", "checked", "output", "marks", "realm"] as const;

/** Objects whose check, or expected passive result, is late, and alerts that are about no object. */
export function OverduePage() {
  const rows = useObjectRows("overdue");
  return (
    <ObjectListView
      title="Overdue"
      count={rows.list && `${rows.list.total} late`}
      rows={rows}
      columns={columns}
      above={rows.pastMs === undefined && <UnmappedAlertTable />}
      empty={<NothingOverdue />}
    />
  );
}

function NothingOverdue() {
  const allCurrent = useAllCurrent();
  return (
    <EmptyState title={allCurrent ? "No result is overdue" : "No result is known to be overdue"} tone="plain">
      <p>A result is overdue when it is late by more than its own interval and 30 seconds.</p>
      {!allCurrent && <p>Not every realm is current.</p>}
    </EmptyState>
  );
}
