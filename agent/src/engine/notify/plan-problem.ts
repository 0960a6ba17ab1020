import { noAuthor } from "@realmwatch/shared/model/author";
import type { NotificationReason } from "@realmwatch/shared/model/notification";
import { isProblem, type ProblemStatus } from "@realmwatch/shared/model/status";
import { stateTypeOf, statusOf } from "../state/object-state.ts";
import { type DueStateNotification, isSwitchedOff, passesFilters } from "./filter-due.ts";
import { contactsOfStatus, type DueNotification, escalationLevelOf, selectRecipients } from "./filters.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import {
  type Announcement,
  type DeferredNotification,
  isAnyContactNotified,
  type LastNotification,
  notificationDecision,
} from "./notification-state.ts";
import { planRecovery } from "./plan-recovery.ts";

/** A renotification that is suppressed for one of these reasons is skipped and not sent later. */
export const skippingReasons: ReadonlySet<NotificationReason> = new Set(["program_off", "object_off", "downtime"]);

/**
 * Decisions that stay after the suppressed change is undone: they are final, or would be made again at once. `flapping`
 * is one of them only while the object flaps.
 */
const lastingReasons: ReadonlySet<NotificationReason> = new Set([
  "decided",
  "program_off",
  "object_off",
  "kind_disabled",
  "status_not_selected",
]);

/** [NO3, NO4] Plans the notifications that a hard state makes due. */
export function planProblem(planner: NotificationPlanner): void {
  const { phase } = planner.state;
  const status = statusOf(phase);
  if (stateTypeOf(phase) === "soft") return;
  if (isProblem(status)) return planOpenProblem(planner, status);
  if (status === "ok") planRecovery(planner);
}

function planOpenProblem(planner: NotificationPlanner, status: ProblemStatus): void {
  // Without a policy there is nothing to count, and the row gives the reason.
  const { policy } = planner.context.objectContext.routing;
  if (policy === undefined && !isAnyContactNotified(planner.notificationState)) return;
  begin(planner);
  const { announcement } = planner;
  if (announcement === undefined || announcement.recovered === true) return announce(planner, status, "PROBLEM");
  if (announcement.status !== status && status !== "unreachable")
    return announce(planner, status, isAnyContactNotified(planner.notificationState) ? "STATUS_CHANGE" : "PROBLEM");
  if (announcement.status === status) forgetUndoneChange(planner);
  const { nextAtMs } = announcement;
  if (nextAtMs === undefined) return resumeRenotification(planner);
  if (nextAtMs <= planner.context.nowMs) renotify(planner, status);
  else planner.wakeAt(nextAtMs);
}

/** [NO2] Replaces the decision on a change or recovery that was suppressed and is undone: it no longer applies. */
function forgetUndoneChange(planner: NotificationPlanner): void {
  const last = planner.notificationState.decision;
  if (last === undefined || last.kind === "PROBLEM" || lastingReasons.has(last.decision.reason)) return;
  if (last.decision.reason === "flapping" && planner.state.flap.flapping) return;
  planner.change({ decision: { kind: "PROBLEM", decision: notificationDecision("decided") } });
}

/** Opens a problem. Contacts whose recovery from the last one is still deferred count as notified of this one. */
function begin(planner: NotificationPlanner): void {
  const { notificationState, context } = planner;
  const { problem, counters } = notificationState;
  if (problem.kind === "open") return;
  const notified: Record<string, LastNotification> = {};
  for (const { contact, status, level } of problem.deferredRecoveries) notified[contact] = { status, level };
  planner.change({
    counters: { ...counters, problems: counters.problems + 1 },
    problem: {
      ...{ kind: "open", sinceMs: context.nowMs, notified },
      ...{ hostCheckAwaitedSinceMs: undefined, announcement: undefined },
    },
  });
}

/**
 * [NO10] Notifies a new status. Contacts that were last notified of the same status are left out, unless the object was
 * ok in between.
 */
function announce(planner: NotificationPlanner, status: ProblemStatus, kind: "PROBLEM" | "STATUS_CHANGE"): void {
  const due = planner.due(kind);
  if (!passesFilters(planner, due)) {
    if (kind === "STATUS_CHANGE" && isSwitchedOff(planner)) countAsAnnounced(planner, due, status);
    return;
  }
  const recipients = recipientsOf(planner, due, status);
  if (recipients === undefined) return;
  const { notified = {}, announcement } = planner.openProblem ?? {};
  const isNews = (contact: string): boolean => announcement?.recovered === true || notified[contact]?.status !== status;
  const contacts = recipients.filter(isNews);
  if (contacts.length === 0) return countAsAnnounced(planner, due, status);
  deliver(planner, due, { status, contacts });
}

/**
 * Returns the contacts of the level that receive a status. Without such a contact it drops the notification and returns
 * undefined.
 */
function recipientsOf(
  planner: NotificationPlanner,
  due: DueStateNotification,
  status: ProblemStatus,
): readonly string[] | undefined {
  const level = escalationLevelOf(due);
  if (level === undefined) return undefined;
  const { routing } = planner.context.objectContext;
  const contacts = contactsOfStatus(level, status, { key: planner.context.plan.key, routing });
  if (level.disabledKinds.includes(due.kind)) dropDisabledKind(planner, due, { status, contacts });
  else if (contacts.length > 0) return contacts;
  else {
    // [NO28] The contacts do not count as notified: the recovery is news to those alone who know of the problem.
    planner.suppress(due.kind, notificationDecision("status_not_selected"));
    countAsAnnounced(planner, due, status);
  }
  return undefined;
}

/**
 * [NO8] A disabled kind counts as announced: it is not sent later, and the level does not advance. [NO24] The contacts
 * that it would have reached count as notified, so that they receive the recovery.
 */
function dropDisabledKind(
  planner: NotificationPlanner,
  due: DueStateNotification,
  { status, contacts }: { status: ProblemStatus; contacts: readonly string[] },
): void {
  planner.suppress(due.kind, notificationDecision("kind_disabled"));
  countAsAnnounced(planner, due, status);
  const { reachable } = selectRecipients(contacts, planner.context);
  const notified = Object.fromEntries(reachable.map((contact) => [contact, { status, level: due.level }]));
  planner.changeProblem({ notified: { ...notified, ...planner.openProblem?.notified } });
}

/** Progress before the first announcement. */
const unannounced = { level: 0, sentAtLevel: 0, number: 0, nextAtMs: undefined, deferred: [] } as const;

/** [NO7, NO8] Marks a status as announced without sending it. An unsent change does not move the renotification. */
function countAsAnnounced(planner: NotificationPlanner, due: DueStateNotification, status: ProblemStatus): void {
  const { recovered: _, ...before }: Announcement = planner.announcement ?? { status, ...unannounced };
  const nextAtMs = due.kind === "STATUS_CHANGE" ? before.nextAtMs : nextRenotificationMs(planner, due);
  planner.changeProblem({ announcement: { ...before, status, nextAtMs } });
  planner.wakeAt(nextAtMs);
}

/** [NO7] Sends the problem again, or skips this renotification. */
function renotify(planner: NotificationPlanner, status: ProblemStatus): void {
  const due = planner.due("PROBLEM");
  if (!passesFilters(planner, due)) {
    const reason = planner.notificationState.decision?.decision.reason;
    if (reason !== undefined && skippingReasons.has(reason)) skipRenotifications(planner);
    return;
  }
  const contacts = recipientsOf(planner, due, status);
  if (contacts !== undefined) deliver(planner, due, { status, contacts });
}

/** [NO18] Moves the renotification to the first time after now in the same rhythm. */
function skipRenotifications(planner: NotificationPlanner): void {
  const nextAtMs = nextInRhythmMs(planner, planner.announcement?.nextAtMs);
  planner.changeAnnouncement({ nextAtMs });
  planner.wakeAt(nextAtMs);
}

/** [NO7] Schedules renotifications that a reload has switched on, in the rhythm that they would have had before it. */
function resumeRenotification(planner: NotificationPlanner): void {
  const nextAtMs = nextInRhythmMs(planner, planner.notificationState.lastAtMs);
  if (nextAtMs === undefined) return;
  planner.changeAnnouncement({ nextAtMs });
  planner.wakeAt(nextAtMs);
}

/**
 * [NO11] First renotification time after now, Unix ms, in a rhythm that includes `fromMs`. The interval is that of the
 * level that notified last, or of the last configured level. Undefined when that level does not renotify.
 */
function nextInRhythmMs({ context, announcement }: NotificationPlanner, fromMs = context.nowMs): number | undefined {
  const { level, sentAtLevel } = announcement ?? unannounced;
  const levels = context.objectContext.routing.policy?.levels ?? [];
  const notifiedLast = sentAtLevel === 0 ? Math.max(0, level - 1) : level;
  const intervalMs = levels[Math.min(notifiedLast, levels.length - 1)]?.renotifyIntervalMs ?? 0;
  if (intervalMs === 0) return undefined;
  return fromMs + (Math.floor((context.nowMs - fromMs) / intervalMs) + 1) * intervalMs;
}

const nextRenotificationMs = (planner: NotificationPlanner, due: DueStateNotification): number | undefined => {
  const intervalMs = escalationLevelOf(due)?.renotifyIntervalMs ?? 0;
  return intervalMs > 0 ? planner.context.nowMs + intervalMs : undefined;
};

/**
 * [NO9, NO11] Sends to the reachable contacts. With none, the notification stays due and is not counted. Otherwise it
 * counts, the next one follows after this level's interval, and the level advances when its threshold is reached.
 */
function deliver(
  planner: NotificationPlanner,
  due: DueStateNotification,
  { status, contacts }: { status: ProblemStatus; contacts: readonly string[] },
): void {
  const { reachable, outsidePeriod, decision } = selectRecipients(contacts, planner.context);
  if (reachable.length === 0) {
    planner.suppress(due.kind, decision ?? notificationDecision("contact_off"));
    for (const { opensAtMs } of outsidePeriod) planner.wakeAt(opensAtMs);
    return;
  }
  const { level } = due;
  const before: Omit<Announcement, "status"> = planner.announcement ?? unannounced;
  const previousStatus = planner.announcement?.status ?? "ok";
  const notified = { ...planner.openProblem?.notified };
  for (const contact of reachable) notified[contact] = { status, level };
  const deferred: DeferredNotification[] = outsidePeriod.map(({ contact }) => ({ contact, level, status }));
  const others = before.deferred.filter(({ contact }) => !contacts.includes(contact));
  const nextAtMs = nextRenotificationMs(planner, due);
  planner.changeProblem({
    notified,
    hostCheckAwaitedSinceMs: undefined,
    announcement: {
      ...{ status, ...levelAfter(due, before.sentAtLevel + 1), number: before.number + 1 },
      ...{ nextAtMs, deferred: [...others, ...deferred] },
    },
  });
  planner.change({ lastAtMs: planner.context.nowMs });
  planner.send(due, reachable, { by: noAuthor, comment: "", previousStatus });
  planner.wakeAt(nextAtMs);
}

/** [NO11] The escalation level after a notification, the `sentAtLevel`th of its level. */
function levelAfter(
  { policy, level }: DueNotification,
  sentAtLevel: number,
): Pick<Announcement, "level" | "sentAtLevel"> {
  const threshold = policy?.levels[level]?.threshold ?? 0;
  const isLast = level + 1 >= (policy?.levels.length ?? 0);
  const advances = threshold > 0 && sentAtLevel >= threshold && !isLast;
  return advances ? { level: level + 1, sentAtLevel: 0 } : { level, sentAtLevel };
}
