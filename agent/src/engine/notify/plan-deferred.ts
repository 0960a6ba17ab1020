import { isProblem } from "@realmwatch/shared/model/status";
import { nobody } from "../annotations/apply-annotation.ts";
import { stateTypeOf, statusOf } from "../state/attempts.ts";
import { reach } from "./recipients.ts";
import type { TellDraft } from "./notification-planner.ts";
import { askFilters } from "./filters.ts";
import type { Deferred } from "./notification-state.ts";

/** [NO13] What a contact's own period held back is delivered at its opening, if it still holds. */
export function tellDeferred(draft: TellDraft): void {
  const { deferred } = draft.telling;
  if (deferred.length === 0) return;
  const { phase } = draft.state;
  const status = statusOf(phase);
  const hardProblem = isProblem(status) && stateTypeOf(phase) === "hard";
  const holds = (kind: Deferred["kind"]): boolean => (kind === "PROBLEM" ? hardProblem : status === "ok");
  const left = deferred.filter((entry) => {
    // A problem that is over is forgotten; a recovery waits whether the object stays well.
    if (!holds(entry.kind)) return entry.kind === "RECOVERY";
    return !deliverLate(draft, entry);
  });
  if (left.length !== draft.telling.deferred.length) draft.change({ deferred: left });
}

/** Whether that was the end of it. */
function deliverLate(draft: TellDraft, { contact, kind, level, status: known }: Deferred): boolean {
  const { closed, reached } = reach([contact], draft.context);
  for (const { opensAtMs } of closed) draft.wakeAt(opensAtMs);
  if (closed.length > 0) return false;
  if (reached.length === 0) return true;
  const owed = { ...draft.owed(kind), level };
  const why = askFilters(owed);
  if (why !== undefined) {
    draft.wakeAt(why.untilMs);
    return false;
  }
  const { told, announced } = draft.telling;
  draft.send(owed, reached, { by: nobody, comment: "", previousStatus: kind === "RECOVERY" ? known : "ok" });
  const status = statusOf(draft.state.phase);
  if (kind === "PROBLEM" && isProblem(status))
    draft.change({ told: { ...told, [contact]: { status, level } }, announced: announced ?? status });
  return true;
}
