import { ActionButton } from "../../components/controls/action-button.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import type { ObjectRows } from "./use-object-rows.ts";

/** Placeholder of a list while rows are loading, or after they failed to load. */
export function ListPlaceholder({ rows: { error, pastMs, refresh } }: { rows: ObjectRows }) {
  if (error === null) return <EmptyState title={pastMs === undefined ? "Loading…" : "Loading the past state…"} />;
  if (pastMs === undefined)
    return (
      <EmptyState title="Not connected" tone="bad">
        <FailureText error={error} what="The server did not answer." />
      </EmptyState>
    );
  return (
    <EmptyState title="The past state is not available" tone="bad">
      <FailureText error={error} what="The request failed." />
      <ActionButton onClick={() => void refresh()}>Try again</ActionButton>
    </EmptyState>
  );
}
