import { applyFilters, type DueNotification } from "./filters.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import type { StateNotificationKind } from "./notification-state.ts";

/** Notification about a hard state that is due. */
export type DueStateNotification = DueNotification<StateNotificationKind>;

/** Returns true when the filters let the notification pass; else records the decision. */
export function passesFilters(planner: NotificationPlanner, due: DueStateNotification): boolean {
  const decision = applyFilters(due);
  if (decision === undefined) return true;
  if (decision.reason === "host_check_awaited" && planner.openProblem?.hostCheckAwaitedSinceMs === undefined) {
    planner.changeProblem({ hostCheckAwaitedSinceMs: planner.context.nowMs });
    planner.followUps.push({ kind: "await_host" });
  }
  planner.suppress(due.kind, decision);
  planner.wakeAt(decision.untilMs);
  return false;
}

/** True when the last notification was suppressed because those of the agent or of the object are switched off. */
export function isSwitchedOff({ notificationState }: NotificationPlanner): boolean {
  const reason = notificationState.decision?.decision.reason;
  return reason === "program_off" || reason === "object_off";
}
