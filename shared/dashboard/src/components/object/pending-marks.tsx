import { useEffect } from "react";
import { expectedWithinMs, giveUpAfterMs, stillPending } from "../../api/commands/pending-command.ts";
import { useAppContext, useNow } from "../../api/context/app-context.tsx";
import { usePastView } from "../../api/context/past-view.ts";
import { useStoreValue } from "../../api/context/value-store.ts";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Marks of the accepted commands whose effect on this object is not visible yet. */
export function PendingCommandMarks({ item }: { item: StatusItem }) {
  const { pending } = useAppContext();
  const marks = useStoreValue(pending);
  const nowMs = useNow();
  const past = usePastView() !== undefined;
  const { id, row } = item;
  useEffect(() => {
    // A row of the past cannot contain the effect of a command that was sent just now.
    if (!past) pending.set((before) => stillPending(before, { id, row }));
  }, [pending, id, row, past]);
  if (past) return null;
  const own = stillPending(marks, { id, row }).filter(
    (mark) => mark.id === id && nowMs - mark.sentAtMs < giveUpAfterMs,
  );
  return own.map((mark) => {
    const late = nowMs - mark.sentAtMs > expectedWithinMs;
    return (
      <span key={`${mark.label}${mark.sentAtMs}`} className={`pending-mark ${late ? "is-late" : ""}`}>
        {late ? `${mark.label} accepted, not yet visible` : `${mark.label} pending`}
      </span>
    );
  });
}
