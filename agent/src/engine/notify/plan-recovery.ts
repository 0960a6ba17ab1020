import { noAuthor } from "@realmwatch/shared/model/author";
import type { NotificationReason } from "@realmwatch/shared/model/notification";
import { type DueStateNotification, isSwitchedOff, passesFilters } from "./filter-due.ts";
import { applyFilters, selectRecipients } from "./filters.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import {
  closeProblem,
  type DeferredNotification,
  isAnyContactNotified,
  isSettled,
  type LastNotification,
  notificationDecision,
} from "./notification-state.ts";

/** [NO1] Reasons that precede `problem_not_notified` in the decision on a recovery. */
const reasonsBeforeNotNotified: ReadonlySet<NotificationReason> = new Set([
  "program_off",
  "object_off",
  "no_policy",
  "dependency",
  "flapping",
]);

/** [NO14] Notifies the recovery to every contact that was notified of the problem, at any level. */
export function planRecovery(planner: NotificationPlanner): void {
  if (isSettled(planner.notificationState)) return;
  if (!isAnyContactNotified(planner.notificationState)) {
    if (planner.openProblem === undefined) return;
    const decision = applyFilters(planner.due("RECOVERY"));
    const precedes = decision !== undefined && reasonsBeforeNotNotified.has(decision.reason);
    planner.suppress("RECOVERY", precedes ? decision : notificationDecision("problem_not_notified"));
    planner.notificationState = closeProblem(planner.notificationState, []);
    return;
  }
  const due = planner.due("RECOVERY");
  if (passesFilters(planner, due)) return deliverRecovery(planner, due);
  // Notifications that are switched off, or have no policy any more, drop the recovery for good.
  if (isSwitchedOff(planner) || due.policy === undefined)
    planner.notificationState = closeProblem(planner.notificationState, []);
  // [NO27] The contacts' problem stays open, so that each of them gets its recovery later.
  else if (planner.state.flap.flapping && planner.announcement?.recovered !== true)
    planner.changeAnnouncement({ recovered: true });
}

function deliverRecovery(planner: NotificationPlanner, due: DueStateNotification): void {
  const { notified = {}, announcement } = planner.openProblem ?? {};
  const wantsRecovery = ([, { level }]: [string, LastNotification]): boolean =>
    !(due.policy?.levels[level]?.disabledKinds.includes("RECOVERY") ?? false);
  const names = Object.entries(notified)
    .filter(wantsRecovery)
    .map(([contact]) => contact);
  const { reachable, outsidePeriod, decision } = selectRecipients(names, planner.context);
  if (reachable.length > 0) {
    const previousStatus = announcement?.status ?? "unknown";
    planner.send(due, reachable, { by: noAuthor, comment: "", previousStatus });
    planner.change({ lastAtMs: planner.context.nowMs });
  } else planner.suppress("RECOVERY", decision ?? notificationDecision("kind_disabled"));
  const deferred = outsidePeriod.flatMap(({ contact }): DeferredNotification[] => {
    const last = notified[contact];
    return last === undefined ? [] : [{ contact, ...last }];
  });
  planner.notificationState = closeProblem(planner.notificationState, deferred);
}
