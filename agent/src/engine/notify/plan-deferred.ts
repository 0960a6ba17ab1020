import { isProblem } from "@realmwatch/shared/model/status";
import { noAuthor } from "../author.ts";
import { stateTypeOf, statusOf } from "../state/attempts.ts";
import { selectRecipients } from "./recipients.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import { applyFilters } from "./filters.ts";
import type { DeferredNotification } from "./notification-state.ts";

/** [NO13] What a contact's own period held back is delivered at its opening, if it still holds. */
export function planDeferred(draft: NotificationPlanner): void {
  const { deferred } = draft.notificationState;
  if (deferred.length === 0) return;
  const { phase } = draft.state;
  const status = statusOf(phase);
  const hardProblem = isProblem(status) && stateTypeOf(phase) === "hard";
  const holds = (kind: DeferredNotification["kind"]): boolean => (kind === "PROBLEM" ? hardProblem : status === "ok");
  const left = deferred.filter((entry) => {
    // A problem that is over is forgotten; a recovery waits whether the object stays well.
    if (!holds(entry.kind)) return entry.kind === "RECOVERY";
    return !deliverLate(draft, entry);
  });
  if (left.length !== draft.notificationState.deferred.length) draft.change({ deferred: left });
}

/** Whether that was the end of it. */
function deliverLate(draft: NotificationPlanner, { contact, kind, level, status: known }: DeferredNotification): boolean {
  const { outsidePeriod, reachable } = selectRecipients([contact], draft.context);
  for (const { opensAtMs } of outsidePeriod) draft.wakeAt(opensAtMs);
  if (outsidePeriod.length > 0) return false;
  if (reachable.length === 0) return true;
  const owed = { ...draft.due(kind), level };
  const why = applyFilters(owed);
  if (why !== undefined) {
    draft.wakeAt(why.untilMs);
    return false;
  }
  const { told, announced } = draft.notificationState;
  draft.send(owed, reachable, { by: noAuthor, comment: "", previousStatus: kind === "RECOVERY" ? known : "ok" });
  const status = statusOf(draft.state.phase);
  if (kind === "PROBLEM" && isProblem(status))
    draft.change({ told: { ...told, [contact]: { status, level } }, announced: announced ?? status });
  return true;
}
