import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { listTexts } from "../../texts/list-texts.ts";
import type { ObjectRows } from "./use-object-rows.ts";

/** Placeholder of a list while rows are loading, or after they failed to load. */
export function ListPlaceholder({ rows: { error, pastMs, refresh } }: { rows: ObjectRows }) {
  if (error === null)
    return <EmptyState title={pastMs === undefined ? listTexts.loading : listTexts.loadingThePastState} />;
  if (pastMs === undefined)
    return (
      <EmptyState title={listTexts.notConnected} tone="bad">
        <FailureText error={error} what={listTexts.theServerDidNotAnswer} />
      </EmptyState>
    );
  return (
    <EmptyState title={listTexts.thePastStateIsNot} tone="bad">
      <FailureText error={error} what={listTexts.theRequestFailed} />
      <button type="button" className="button" onClick={() => void refresh()}>
        {listTexts.tryAgain}
      </button>
    </EmptyState>
  );
}
