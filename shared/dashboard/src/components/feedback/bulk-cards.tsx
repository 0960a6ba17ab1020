import { useEffect } from "react";
import { type BulkRun, countsOf, isComplete } from "../../api/commands/bulk-run.ts";
import { useFollowBulkRuns } from "../../api/commands/use-follow-bulk-runs.ts";
import { useAppContext, useNow } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { ActionButton } from "../controls/action-button.tsx";
import { MarkIcon } from "../controls/mark-icon.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { bulkTone } from "./bulk-summary.ts";

/** Time that a complete result stays, ms. */
const shownMs = 6_000;

/** Bulk commands that run, or whose result is not closed yet, beside every page, unless their own dialog is open. */
export function BulkCards() {
  const { bulkRuns } = useAppContext();
  const runs = useStoreValue(bulkRuns);
  const nowMs = useNow();
  useFollowBulkRuns();
  const shown = runs.filter(({ inDialog }) => !inDialog);
  if (shown.length === 0) return null;
  return (
    <section className="notice-list" aria-label="Commands for many objects">
      {shown.map((run) => (
        <BulkCard key={run.id} run={run} nowMs={nowMs} />
      ))}
    </section>
  );
}

function BulkCard({ run, nowMs }: { run: BulkRun; nowMs: number }) {
  const { bulkRuns, clock } = useAppContext();
  const { id, settledAtMs } = run;
  const { failed } = countsOf(run);
  const complete = isComplete(run);
  useEffect(() => {
    const close = (): void => bulkRuns.set((runs) => runs.filter((one) => one.id !== id));
    return complete ? clock.every(shownMs, close) : undefined;
  }, [bulkRuns, clock, complete, id]);
  return (
    <div className={`notice bulk-card is-${bulkTone(run, nowMs)}`}>
      <BulkProgress run={run} />
      {settledAtMs !== undefined && (
        <div className="bulk-actions">
          {failed > 0 && (
            <ActionButton tone="small" onClick={run.retry}>
              Retry {failed}
            </ActionButton>
          )}
          <ActionButton
            tone="quiet"
            onClick={() => bulkRuns.set((runs) => runs.filter((one) => one.id !== id))}
            aria-label="Close this result"
          >
            <MarkIcon name="close" />
          </ActionButton>
        </div>
      )}
    </div>
  );
}
