import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import type { ListRows } from "./list-rows.ts";

/** What stands where a list would while the server has not answered, or could not. */
export function ListPlaceholder({ rows: { error, pastMs, retry } }: { rows: ListRows }) {
  if (error === null) return <EmptyState title={pastMs === undefined ? "Asking the server…" : "Looking back…"} />;
  if (pastMs === undefined)
    return (
      <EmptyState title="Not connected" tone="bad">
        <FailureText error={error} what="The server did not answer." />
      </EmptyState>
    );
  return (
    <EmptyState title="The past is not available" tone="bad">
      <FailureText error={error} what="It could not be looked up." />
      <button type="button" className="button" onClick={retry}>
        Try again
      </button>
    </EmptyState>
  );
}
