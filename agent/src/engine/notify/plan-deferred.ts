import { noAuthor } from "@realmwatch/shared/model/author";
import { isProblem } from "@realmwatch/shared/model/status";
import { stateTypeOf, statusOf } from "../state/object-state.ts";
import { applyFilters, selectRecipients } from "./filters.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import type { DeferredNotification } from "./notification-state.ts";

/** [NO13] Delivers notifications that a contact's period has deferred, at its opening, if they still hold. */
export function planDeferred(planner: NotificationPlanner): void {
  const { problem } = planner.notificationState;
  if (problem.kind === "closed") return planDeferredRecoveries(planner, problem.deferredRecoveries);
  const deferred = problem.announcement?.deferred ?? [];
  if (deferred.length === 0) return;
  const { phase } = planner.state;
  // Without a hard problem, deferred problem notifications are dropped.
  const holds = stateTypeOf(phase) === "hard" && isProblem(statusOf(phase));
  const left = deferred.filter((notification) => holds && !deliverDeferred(planner, "PROBLEM", notification));
  if (left.length !== deferred.length) planner.changeAnnouncement({ deferred: left });
}

/** While the object is not ok, deferred recoveries wait: a soft problem may turn out to be none. */
function planDeferredRecoveries(planner: NotificationPlanner, deferred: readonly DeferredNotification[]): void {
  if (deferred.length === 0) return;
  const holds = statusOf(planner.state.phase) === "ok";
  const left = deferred.filter((notification) => !(holds && deliverDeferred(planner, "RECOVERY", notification)));
  if (left.length !== deferred.length) planner.change({ problem: { kind: "closed", deferredRecoveries: left } });
}

/** Returns true when the notification was sent or dropped, false when it still waits. */
function deliverDeferred(
  planner: NotificationPlanner,
  kind: "PROBLEM" | "RECOVERY",
  { contact, level, status: lastStatus }: DeferredNotification,
): boolean {
  const { outsidePeriod, reachable } = selectRecipients([contact], planner.context);
  for (const { opensAtMs } of outsidePeriod) planner.wakeAt(opensAtMs);
  if (outsidePeriod.length > 0) return false;
  if (reachable.length === 0) return true;
  const due = { ...planner.due(kind), level };
  const decision = applyFilters(due);
  if (decision !== undefined) {
    planner.wakeAt(decision.untilMs);
    return false;
  }
  const previousStatus = kind === "RECOVERY" ? lastStatus : "ok";
  planner.send(due, reachable, { by: noAuthor, comment: "", previousStatus });
  const status = statusOf(planner.state.phase);
  if (kind === "PROBLEM" && isProblem(status))
    planner.changeProblem({ notified: { ...planner.openProblem?.notified, [contact]: { status, level } } });
  return true;
}
