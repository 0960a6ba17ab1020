import { useEffect } from "react";
import type { StatusItem } from "../api/status-item.ts";
import { useNow, useServices } from "../services/services.tsx";
import { usePast } from "../services/shown-past.tsx";
import { useStored } from "../services/value-store.ts";
import { expectedWithinMs, forgottenAfterMs, stillPending } from "./pending-mark.ts";

/** Says on a row which commands were accepted and are not visible yet; nothing where there are none. */
export function PendingMarks({ item }: { item: StatusItem }) {
  const { pending } = useServices();
  const marks = useStored(pending);
  const nowMs = useNow();
  const past = usePast() !== undefined;
  const { id, row } = item;
  useEffect(() => {
    // A row of the past shows nothing of what was asked for just now.
    if (!past) pending.set((before) => stillPending(before, { id, row }));
  }, [pending, id, row, past]);
  if (past) return null;
  const own = stillPending(marks, { id, row }).filter(
    (mark) => mark.id === id && nowMs - mark.sentAtMs < forgottenAfterMs,
  );
  return own.map((mark) => {
    const late = nowMs - mark.sentAtMs > expectedWithinMs;
    return (
      <span key={`${mark.what}${mark.sentAtMs}`} className={`pending-mark ${late ? "is-late" : ""}`}>
        {late ? `${mark.what} accepted, not yet visible` : `${mark.what} pending`}
      </span>
    );
  });
}
