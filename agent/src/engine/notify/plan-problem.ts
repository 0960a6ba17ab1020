import { isProblem, type ProblemStatus, type Status } from "@realmwatch/shared/model/status";
import { nobody } from "../annotations/apply-annotation.ts";
import { stateTypeOf, statusOf } from "../state/attempts.ts";
import { reach } from "./recipients.ts";
import type { TellDraft } from "./notification-planner.ts";
import { askFilters, because, levelOf, type Owed } from "./filters.ts";
import { closeProblem, type Deferred, isAnyoneTold, isSettled, type Told } from "./notification-state.ts";

/** Withheld for these reasons a repetition is left out, and not made up for. */
const missed = new Set(["program_off", "object_off", "downtime"]);

/** [NO1] What is asked before whether anybody knows of the problem at all. */
const beforeNobodyTold = new Set(["program_off", "object_off", "no_policy", "dependency", "flapping"]);

/** These stay the last word on what is undone: it did not wait, or it will be undone again and again. */
const lastWord = new Set(["sent", "program_off", "object_off", "kind_disabled", "flapping"]);

/** [NO3, NO4] What people do not know yet of a confirmed state. */
export function tellProblem(draft: TellDraft): void {
  const { phase } = draft.state;
  const status = statusOf(phase);
  if (stateTypeOf(phase) === "soft") return;
  if (isProblem(status)) return tellOpen(draft, status);
  if (status === "ok") tellOver(draft);
}

function tellOpen(draft: TellDraft, status: ProblemStatus): void {
  // Where nobody is ever told there is nothing to count and nothing to explain but that; the row says it.
  if (draft.context.around.telling.policy === undefined && !isAnyoneTold(draft.telling)) return;
  begin(draft);
  const { announced, nextAtMs } = draft.telling;
  if (announced === undefined) return announce(draft, status, "PROBLEM");
  if (announced !== status && status !== "unreachable") return announce(draft, status, "STATUS_CHANGE");
  if (announced === status) forgetUndone(draft);
  if (nextAtMs === undefined) return resume(draft);
  if (nextAtMs <= draft.context.nowMs) repeat(draft, status);
  else draft.wakeAt(nextAtMs);
}

/** [NO2] A change or an end that was withheld and is undone explains nothing any more: what is so has been said. */
function forgetUndone(draft: TellDraft): void {
  const { because: why, becauseOf } = draft.telling;
  if (becauseOf === "PROBLEM" || why === undefined || lastWord.has(why.reason)) return;
  draft.change({ because: because("sent"), becauseOf: "PROBLEM" });
}

/** A new problem, unless the end of the one before was never told: then it is the same to whoever knows of it. */
function begin(draft: TellDraft): void {
  const { telling, context } = draft;
  if (telling.problemSinceMs !== undefined) return;
  const waiting = telling.deferred.filter(({ kind }) => kind === "RECOVERY");
  const told: Record<string, Told> = {};
  for (const { contact, status, level } of waiting) told[contact] = { status, level };
  draft.change({ problems: telling.problems + 1, problemSinceMs: context.nowMs, deferred: [], told });
}

/** Lets the message through, or notes why not. */
function passes(draft: TellDraft, owed: Owed): boolean {
  const why = askFilters(owed);
  if (why === undefined) return true;
  if (why.reason === "host_check_awaited" && draft.telling.hostAwaitedSinceMs === undefined) {
    draft.change({ hostAwaitedSinceMs: draft.context.nowMs });
    draft.followUps.push({ kind: "await_host" });
  }
  draft.withhold(owed.kind, why);
  draft.wakeAt(why.untilMs);
  return false;
}

/** [NO10] Whoever knows already what is so is not told it as news. */
function announce(draft: TellDraft, status: ProblemStatus, kind: "PROBLEM" | "STATUS_CHANGE"): void {
  const owed = draft.owed(kind);
  if (!passes(draft, owed)) {
    if (kind === "STATUS_CHANGE" && isSwitchedOff(draft)) countAsSaid(draft, owed, status);
    return;
  }
  const level = levelOf(owed);
  if (level === undefined) return;
  if (level.disabledKinds.includes(kind)) return dropDisabled(draft, owed, status);
  const news = level.contacts.filter((contact) => draft.telling.told[contact]?.status !== status);
  if (news.length === 0) return countAsSaid(draft, owed, status);
  deliver(draft, owed, { status, contacts: news });
}

const isSwitchedOff = ({ telling: { because: why } }: TellDraft): boolean =>
  why?.reason === "program_off" || why?.reason === "object_off";

/** [NO8] What a level does not want counts as said: nobody is told of it later, and the level does not advance. */
function dropDisabled(draft: TellDraft, owed: Owed, status: Status): void {
  draft.withhold(owed.kind, because("kind_disabled"));
  countAsSaid(draft, owed, status);
}

/** [NO7, NO8] Nothing went out: a change that nobody heard of leaves the turn of the next message where it is. */
function countAsSaid(draft: TellDraft, owed: Owed, status: Status): void {
  const nextAtMs = owed.kind === "STATUS_CHANGE" ? draft.telling.nextAtMs : nextAt(draft, owed);
  draft.change({ announced: status, nextAtMs });
  draft.wakeAt(nextAtMs);
}

/** [NO7] Told again while it lasts. */
function repeat(draft: TellDraft, status: ProblemStatus): void {
  const owed = draft.owed("PROBLEM");
  if (!passes(draft, owed)) {
    if (missed.has(draft.telling.because?.reason ?? "")) skipTurns(draft);
    return;
  }
  const level = levelOf(owed);
  if (level === undefined) return;
  if (level.disabledKinds.includes("PROBLEM")) return dropDisabled(draft, owed, status);
  deliver(draft, owed, { status, contacts: level.contacts });
}

/** [NO18] The next turn of the same cadence that is still to come. */
function skipTurns(draft: TellDraft): void {
  draft.change({ nextAtMs: nextTurnMs(draft, draft.telling.nextAtMs) });
  draft.wakeAt(draft.telling.nextAtMs);
}

/** [NO7] It was not to be told again by what was configured then. Where it is now, it goes on as if it always had been. */
function resume(draft: TellDraft): void {
  const nextAtMs = nextTurnMs(draft, draft.telling.lastAtMs);
  if (nextAtMs === undefined) return;
  draft.change({ nextAtMs });
  draft.wakeAt(nextAtMs);
}

/**
 * [NO11] The first turn after now, Unix ms, of the cadence that has one at `fromMs`: that of the level that told last,
 * or of the last level there still is. Undefined where that one never repeats.
 */
function nextTurnMs({ context, telling }: TellDraft, fromMs = context.nowMs): number | undefined {
  const levels = context.around.telling.policy?.levels ?? [];
  const toldLast = telling.sentAtLevel === 0 ? Math.max(0, telling.level - 1) : telling.level;
  const intervalMs = levels[Math.min(toldLast, levels.length - 1)]?.renotifyIntervalMs ?? 0;
  if (intervalMs === 0) return undefined;
  return fromMs + (Math.floor((context.nowMs - fromMs) / intervalMs) + 1) * intervalMs;
}

const nextAt = (draft: TellDraft, owed: Owed): number | undefined => {
  const intervalMs = levelOf(owed)?.renotifyIntervalMs ?? 0;
  return intervalMs > 0 ? draft.context.nowMs + intervalMs : undefined;
};

/**
 * [NO9, NO11] Sends to whom it reaches. Where that is nobody it stays owed and is not counted; else it counts, the
 * next one follows after this level's interval, and the level advances once it has been told often enough.
 */
function deliver(draft: TellDraft, owed: Owed, message: { status: ProblemStatus; contacts: readonly string[] }): void {
  const { status, contacts } = message;
  const { reached, closed, because: why } = reach(contacts, draft.context);
  if (reached.length === 0) {
    draft.withhold(owed.kind, why ?? because("contact_off"));
    for (const { opensAtMs } of closed) draft.wakeAt(opensAtMs);
    return;
  }
  const { level } = owed;
  const before = draft.telling;
  const told = { ...before.told };
  for (const contact of reached) told[contact] = { status, level };
  const late: Deferred[] = closed.map(({ contact }) => ({ contact, kind: "PROBLEM", level, status }));
  const others = before.deferred.filter(({ contact }) => !contacts.includes(contact));
  draft.change({ number: before.number + 1 });
  draft.send(owed, reached, { by: nobody, comment: "", previousStatus: before.announced ?? "ok" });
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
  draft.wakeAt(draft.telling.nextAtMs);
}

function escalate(draft: TellDraft, { policy, level }: Owed): void {
  const threshold = policy?.levels[level]?.threshold ?? 0;
  const last = level + 1 >= (policy?.levels.length ?? 0);
  if (threshold > 0 && draft.telling.sentAtLevel >= threshold && !last)
    draft.change({ level: level + 1, sentAtLevel: 0 });
  else draft.change({ level });
}

/** [NO14] Everyone who knows of the problem hears of its end, at whatever level they were told. */
function tellOver(draft: TellDraft): void {
  const { telling } = draft;
  if (isSettled(telling)) return;
  if (!isAnyoneTold(telling)) {
    if (telling.problemSinceMs === undefined) return;
    const why = askFilters(draft.owed("RECOVERY"));
    draft.withhold("RECOVERY", why && beforeNobodyTold.has(why.reason) ? why : because("nobody_told"));
    draft.telling = closeProblem(draft.telling, []);
    return;
  }
  const owed = draft.owed("RECOVERY");
  if (passes(draft, owed)) return deliverRecovery(draft, owed);
  // What is switched off drops what comes; with it go those who would have had to hear of it.
  if (isSwitchedOff(draft) || owed.policy === undefined) draft.telling = closeProblem(draft.telling, []);
}

function deliverRecovery(draft: TellDraft, owed: Owed): void {
  const { told, announced } = draft.telling;
  const wants = ([, { level }]: [string, Told]): boolean =>
    !(owed.policy?.levels[level]?.disabledKinds.includes("RECOVERY") ?? false);
  const wanting = Object.entries(told).filter(wants);
  const {
    reached,
    closed,
    because: why,
  } = reach(
    wanting.map(([contact]) => contact),
    draft.context,
  );
  if (reached.length > 0)
    draft.send(owed, reached, { by: nobody, comment: "", previousStatus: announced ?? "unknown" });
  else draft.withhold("RECOVERY", why ?? because("kind_disabled"));
  const late = closed.flatMap(({ contact }): Deferred[] => {
    const known = told[contact];
    return known === undefined ? [] : [{ contact, kind: "RECOVERY", ...known }];
  });
  const lastAtMs = reached.length > 0 ? draft.context.nowMs : draft.telling.lastAtMs;
  draft.telling = { ...closeProblem(draft.telling, late), lastAtMs };
}
