import type { ObjectPlan, PolicyPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { isProblem, type ProblemStatus } from "@realmwatch/shared/model/status";
import { allObjectTogglesOn, type ObjectToggles } from "@realmwatch/shared/model/toggles";
import { type NotificationState, newNotificationState } from "../../../engine/notify/notification-state.ts";
import { maxAttemptsOf, newState, type ObjectState, type Phase } from "../../../engine/state/object-state.ts";
import type { RetainedNotifications, RetainedObject, RetainedStatus } from "./retained-object.ts";

type StateContext = {
  readonly plan: RealmPlan;
  /** Unix ms. */
  readonly nowMs: number;
};

/** State of an object as the other system left it. */
export function retainedStateOf(plan: ObjectPlan, retained: RetainedObject, context: StateContext): ObjectState {
  const { status: known, comments, downtimes } = retained;
  const { nowMs } = context;
  const state: ObjectState = { ...newState(nowMs), comments, downtimes, toggles: togglesOf(retained) };
  if (known === undefined) return state;
  const { status, output, longOutput, changedAtMs } = known;
  const phase = phaseOf(known, maxAttemptsOf(plan));
  const executedAtMs = known.checkedAtMs ?? nowMs;
  return {
    ...state,
    phase,
    lastHardStatus: phase.kind === "ok" ? "ok" : phase.kind === "hard" ? phase.status : known.lastHardStatus,
    previousStatus: known.previousStatus,
    lastOkAtMs: known.lastOkAtMs,
    lastChangeAtMs: changedAtMs,
    lastHardChangeAtMs: known.hardChangedAtMs ?? changedAtMs,
    failingSinceMs: isProblem(status) ? (changedAtMs ?? executedAtMs) : undefined,
    last: {
      ...{ output, longOutput, perfdata: [] },
      ...{ executedAtMs, realAtMs: executedAtMs, latencyMs: undefined, executionMs: undefined },
      source: "import",
      rawStatus: status === "unreachable" ? "critical" : status,
    },
    acknowledgement: isProblem(status) ? known.acknowledgement : undefined,
    notificationState: notificationStateOf(plan, phase, known, context),
  };
}

function phaseOf({ status, isHard, attempt }: RetainedStatus, maxAttempts: number): Phase {
  if (!isProblem(status)) return { kind: "ok" };
  if (isHard || attempt >= maxAttempts) return { kind: "hard", status };
  return { kind: "soft", status, attempt: Math.max(1, attempt) };
}

function togglesOf({ togglesOff }: RetainedObject): ObjectToggles {
  if (togglesOff.length === 0) return allObjectTogglesOn;
  return { ...allObjectTogglesOn, ...Object.fromEntries(togglesOff.map((name) => [name, false])) };
}

/** Notifications so far about a hard problem, so that it is not announced again; undefined when there were none. */
function notificationStateOf(
  plan: ObjectPlan,
  phase: Phase,
  { notifications, hardChangedAtMs, changedAtMs }: RetainedStatus,
  { plan: realm, nowMs }: StateContext,
): NotificationState | undefined {
  const policy = realm.policies.get(plan.policy);
  if (phase.kind !== "hard" || notifications === undefined || policy === undefined) return undefined;
  const sinceMs = hardChangedAtMs ?? changedAtMs ?? nowMs;
  return announced(policy, { ...notifications, status: phase.status, sinceMs, nowMs });
}

type Announced = RetainedNotifications & {
  readonly status: ProblemStatus;
  readonly sinceMs: number;
  readonly nowMs: number;
};

function announced({ levels }: PolicyPlan, sent: Announced): NotificationState {
  const { status, number, sinceMs, nowMs, lastAtMs = nowMs, isNotified = () => true } = sent;
  const { level, sentAtLevel } = progressOf(levels, sent);
  const intervalMs = levels[level]?.renotifyIntervalMs ?? 0;
  const reached = levels.slice(0, level + 1).flatMap(({ contacts }, at) => contacts.map((name) => [name, at] as const));
  return {
    ...newNotificationState(nowMs),
    counters: { sinceMs: nowMs, problems: 1, notifications: number },
    problem: {
      kind: "open",
      sinceMs,
      notified: Object.fromEntries(
        reached.filter(([name]) => isNotified(name)).map(([name, at]) => [name, { status, level: at }]),
      ),
      hostCheckAwaitedSinceMs: undefined,
      announcement: {
        ...{ status, level, sentAtLevel, number },
        nextAtMs: intervalMs === 0 ? undefined : lastAtMs + intervalMs,
        deferred: [],
      },
    },
    lastAtMs,
  };
}

/**
 * Level that the notifications have reached, and the number of those that it sent. It follows from the contacts that were
 * notified or, where these are not known, from the number of notifications.
 */
function progressOf(
  levels: PolicyPlan["levels"],
  { number, isNotified }: Announced,
): { readonly level: number; readonly sentAtLevel: number } {
  const last = isNotified === undefined ? levels.length - 1 : levelOfContacts(levels, isNotified);
  let [level, sentAtLevel] = [0, number];
  for (; level < last; level += 1) {
    const { threshold } = levels[level] ?? { threshold: 0 };
    if (threshold === 0 || (isNotified === undefined && sentAtLevel <= threshold)) break;
    sentAtLevel = Math.max(1, sentAtLevel - threshold);
  }
  const { threshold } = levels[level] ?? { threshold: 0 };
  const isLast = level === levels.length - 1;
  return { level, sentAtLevel: isLast || threshold === 0 ? sentAtLevel : Math.min(sentAtLevel, threshold) };
}

/** Index of the first level by which every contact that was notified is due. */
function levelOfContacts(levels: PolicyPlan["levels"], isNotified: (contact: string) => boolean): number {
  const first = new Map<string, number>();
  for (const [at, { contacts }] of levels.entries())
    for (const contact of contacts) if (isNotified(contact) && !first.has(contact)) first.set(contact, at);
  return Math.max(0, ...first.values());
}
