import { isProblem, type ProblemStatus, type Status } from "@realmwatch/shared/model/status";
import { noAuthor } from "../author.ts";
import { stateTypeOf, statusOf } from "../state/attempts.ts";
import { selectRecipients } from "./recipients.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import { applyFilters, escalationLevelOf, type DueNotification } from "./filters.ts";
import { notificationDecision } from "./notification-decision.ts";
import { closeProblem, type DeferredNotification, isAnyContactNotified, isSettled, type LastNotification } from "./notification-state.ts";

/** Withheld for these reasons a repetition is left out, and not made up for. */
const missed = new Set(["program_off", "object_off", "downtime"]);

/** [NO1] What is asked before whether anybody knows of the problem at all. */
const beforeNobodyTold = new Set(["program_off", "object_off", "no_policy", "dependency", "flapping"]);

/** These stay the last word on what is undone: it did not wait, or it will be undone again and again. */
const lastWord = new Set(["sent", "program_off", "object_off", "kind_disabled", "flapping"]);

/** [NO3, NO4] What people do not know yet of a confirmed state. */
export function planProblem(draft: NotificationPlanner): void {
  const { phase } = draft.state;
  const status = statusOf(phase);
  if (stateTypeOf(phase) === "soft") return;
  if (isProblem(status)) return tellOpen(draft, status);
  if (status === "ok") tellOver(draft);
}

function tellOpen(draft: NotificationPlanner, status: ProblemStatus): void {
  // Where nobody is ever told there is nothing to count and nothing to explain but that; the row says it.
  if (draft.context.objectContext.routing.policy === undefined && !isAnyContactNotified(draft.notificationState)) return;
  begin(draft);
  const { announced, nextAtMs } = draft.notificationState;
  if (announced === undefined) return announce(draft, status, "PROBLEM");
  if (announced !== status && status !== "unreachable") return announce(draft, status, "STATUS_CHANGE");
  if (announced === status) forgetUndone(draft);
  if (nextAtMs === undefined) return resume(draft);
  if (nextAtMs <= draft.context.nowMs) repeat(draft, status);
  else draft.wakeAt(nextAtMs);
}

/** [NO2] A change or an end that was withheld and is undone explains nothing any more: what is so has been said. */
function forgetUndone(draft: NotificationPlanner): void {
  const { because: why, becauseOf } = draft.notificationState;
  if (becauseOf === "PROBLEM" || why === undefined || lastWord.has(why.reason)) return;
  draft.change({ because: notificationDecision("sent"), becauseOf: "PROBLEM" });
}

/** A new problem, unless the end of the one before was never told: then it is the same to whoever knows of it. */
function begin(draft: NotificationPlanner): void {
  const { notificationState, context } = draft;
  if (notificationState.problemSinceMs !== undefined) return;
  const waiting = notificationState.deferred.filter(({ kind }) => kind === "RECOVERY");
  const told: Record<string, LastNotification> = {};
  for (const { contact, status, level } of waiting) told[contact] = { status, level };
  draft.change({ problems: notificationState.problems + 1, problemSinceMs: context.nowMs, deferred: [], told });
}

/** Lets the message through, or notes why not. */
function passes(draft: NotificationPlanner, owed: DueNotification): boolean {
  const why = applyFilters(owed);
  if (why === undefined) return true;
  if (why.reason === "host_check_awaited" && draft.notificationState.hostAwaitedSinceMs === undefined) {
    draft.change({ hostAwaitedSinceMs: draft.context.nowMs });
    draft.followUps.push({ kind: "await_host" });
  }
  draft.suppress(owed.kind, why);
  draft.wakeAt(why.untilMs);
  return false;
}

/** [NO10] Whoever knows already what is so is not told it as news. */
function announce(draft: NotificationPlanner, status: ProblemStatus, kind: "PROBLEM" | "STATUS_CHANGE"): void {
  const owed = draft.due(kind);
  if (!passes(draft, owed)) {
    if (kind === "STATUS_CHANGE" && isSwitchedOff(draft)) countAsSaid(draft, owed, status);
    return;
  }
  const level = escalationLevelOf(owed);
  if (level === undefined) return;
  if (level.disabledKinds.includes(kind)) return dropDisabled(draft, owed, status);
  const news = level.contacts.filter((contact) => draft.notificationState.told[contact]?.status !== status);
  if (news.length === 0) return countAsSaid(draft, owed, status);
  deliver(draft, owed, { status, contacts: news });
}

const isSwitchedOff = ({ notificationState: { because: why } }: NotificationPlanner): boolean =>
  why?.reason === "program_off" || why?.reason === "object_off";

/** [NO8] What a level does not want counts as said: nobody is told of it later, and the level does not advance. */
function dropDisabled(draft: NotificationPlanner, owed: DueNotification, status: Status): void {
  draft.suppress(owed.kind, notificationDecision("kind_disabled"));
  countAsSaid(draft, owed, status);
}

/** [NO7, NO8] Nothing went out: a change that nobody heard of leaves the turn of the next message where it is. */
function countAsSaid(draft: NotificationPlanner, owed: DueNotification, status: Status): void {
  const nextAtMs = owed.kind === "STATUS_CHANGE" ? draft.notificationState.nextAtMs : nextAt(draft, owed);
  draft.change({ announced: status, nextAtMs });
  draft.wakeAt(nextAtMs);
}

/** [NO7] Told again while it lasts. */
function repeat(draft: NotificationPlanner, status: ProblemStatus): void {
  const owed = draft.due("PROBLEM");
  if (!passes(draft, owed)) {
    if (missed.has(draft.notificationState.because?.reason ?? "")) skipTurns(draft);
    return;
  }
  const level = escalationLevelOf(owed);
  if (level === undefined) return;
  if (level.disabledKinds.includes("PROBLEM")) return dropDisabled(draft, owed, status);
  deliver(draft, owed, { status, contacts: level.contacts });
}

/** [NO18] The next turn of the same cadence that is still to come. */
function skipTurns(draft: NotificationPlanner): void {
  draft.change({ nextAtMs: nextTurnMs(draft, draft.notificationState.nextAtMs) });
  draft.wakeAt(draft.notificationState.nextAtMs);
}

/** [NO7] It was not to be told again by what was configured then. Where it is now, it goes on as if it always had been. */
function resume(draft: NotificationPlanner): void {
  const nextAtMs = nextTurnMs(draft, draft.notificationState.lastAtMs);
  if (nextAtMs === undefined) return;
  draft.change({ nextAtMs });
  draft.wakeAt(nextAtMs);
}

/**
 * [NO11] The first turn after now, Unix ms, of the cadence that has one at `fromMs`: that of the level that told last,
 * or of the last level there still is. Undefined where that one never repeats.
 */
function nextTurnMs({ context, notificationState }: NotificationPlanner, fromMs = context.nowMs): number | undefined {
  const levels = context.objectContext.routing.policy?.levels ?? [];
  const toldLast = notificationState.sentAtLevel === 0 ? Math.max(0, notificationState.level - 1) : notificationState.level;
  const intervalMs = levels[Math.min(toldLast, levels.length - 1)]?.renotifyIntervalMs ?? 0;
  if (intervalMs === 0) return undefined;
  return fromMs + (Math.floor((context.nowMs - fromMs) / intervalMs) + 1) * intervalMs;
}

const nextAt = (draft: NotificationPlanner, owed: DueNotification): number | undefined => {
  const intervalMs = escalationLevelOf(owed)?.renotifyIntervalMs ?? 0;
  return intervalMs > 0 ? draft.context.nowMs + intervalMs : undefined;
};

/**
 * [NO9, NO11] Sends to whom it reaches. Where that is nobody it stays owed and is not counted; else it counts, the
 * next one follows after this level's interval, and the level advances once it has been told often enough.
 */
function deliver(draft: NotificationPlanner, owed: DueNotification, message: { status: ProblemStatus; contacts: readonly string[] }): void {
  const { status, contacts } = message;
  const { reachable, outsidePeriod, decision: why } = selectRecipients(contacts, draft.context);
  if (reachable.length === 0) {
    draft.suppress(owed.kind, why ?? notificationDecision("contact_off"));
    for (const { opensAtMs } of outsidePeriod) draft.wakeAt(opensAtMs);
    return;
  }
  const { level } = owed;
  const before = draft.notificationState;
  const told = { ...before.told };
  for (const contact of reachable) told[contact] = { status, level };
  const late: DeferredNotification[] = outsidePeriod.map(({ contact }) => ({ contact, kind: "PROBLEM", level, status }));
  const others = before.deferred.filter(({ contact }) => !contacts.includes(contact));
  draft.change({ number: before.number + 1 });
  draft.send(owed, reachable, { by: noAuthor, comment: "", previousStatus: before.announced ?? "ok" });
  draft.change({
    announced: status,
    told,
    sentAtLevel: before.sentAtLevel + 1,
    lastAtMs: draft.context.nowMs,
    nextAtMs: nextAt(draft, owed),
    deferred: [...others, ...late],
    hostAwaitedSinceMs: undefined,
  });
  escalate(draft, owed);
  draft.wakeAt(draft.notificationState.nextAtMs);
}

function escalate(draft: NotificationPlanner, { policy, level }: DueNotification): void {
  const threshold = policy?.levels[level]?.threshold ?? 0;
  const last = level + 1 >= (policy?.levels.length ?? 0);
  if (threshold > 0 && draft.notificationState.sentAtLevel >= threshold && !last)
    draft.change({ level: level + 1, sentAtLevel: 0 });
  else draft.change({ level });
}

/** [NO14] Everyone who knows of the problem hears of its end, at whatever level they were told. */
function tellOver(draft: NotificationPlanner): void {
  const { notificationState } = draft;
  if (isSettled(notificationState)) return;
  if (!isAnyContactNotified(notificationState)) {
    if (notificationState.problemSinceMs === undefined) return;
    const why = applyFilters(draft.due("RECOVERY"));
    draft.suppress("RECOVERY", why && beforeNobodyTold.has(why.reason) ? why : notificationDecision("nobody_told"));
    draft.notificationState = closeProblem(draft.notificationState, []);
    return;
  }
  const owed = draft.due("RECOVERY");
  if (passes(draft, owed)) return deliverRecovery(draft, owed);
  // What is switched off drops what comes; with it go those who would have had to hear of it.
  if (isSwitchedOff(draft) || owed.policy === undefined) draft.notificationState = closeProblem(draft.notificationState, []);
}

function deliverRecovery(draft: NotificationPlanner, owed: DueNotification): void {
  const { told, announced } = draft.notificationState;
  const wants = ([, { level }]: [string, LastNotification]): boolean =>
    !(owed.policy?.levels[level]?.disabledKinds.includes("RECOVERY") ?? false);
  const wanting = Object.entries(told).filter(wants);
  const {
    reachable,
    outsidePeriod,
    decision: why,
  } = selectRecipients(
    wanting.map(([contact]) => contact),
    draft.context,
  );
  if (reachable.length > 0)
    draft.send(owed, reachable, { by: noAuthor, comment: "", previousStatus: announced ?? "unknown" });
  else draft.suppress("RECOVERY", why ?? notificationDecision("kind_disabled"));
  const late = outsidePeriod.flatMap(({ contact }): DeferredNotification[] => {
    const known = told[contact];
    return known === undefined ? [] : [{ contact, kind: "RECOVERY", ...known }];
  });
  const lastAtMs = reachable.length > 0 ? draft.context.nowMs : draft.notificationState.lastAtMs;
  draft.notificationState = { ...closeProblem(draft.notificationState, late), lastAtMs };
}
