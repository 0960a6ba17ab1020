import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ObjectInput } from "../input.ts";
import { type ObjectState, statusOf } from "../state/object-state.ts";
import type { FollowUp, StepContext } from "../transition.ts";
import { NotificationPlanner, type PlannedNotification } from "./notification-planner.ts";
import { isSettled } from "./notification-state.ts";
import { planDeferred } from "./plan-deferred.ts";
import { eventOf, planEvent } from "./plan-event.ts";
import { planFlapping } from "./plan-flapping.ts";
import { planProblem } from "./plan-problem.ts";

/** Notifications of one step, with the state and history that go with them. */
type PlannedNotifications = {
  readonly state: ObjectState;
  readonly history: readonly HistoryEntry[];
  readonly followUps: readonly FollowUp[];
  readonly notifications: readonly PlannedNotification[];
  /** Next time at which time alone may make a notification due, Unix ms; Infinity when there is none. */
  readonly wakeAtMs: number;
};

/**
 * True when a notification may be due, now or after its suppression ends: the object has a problem, flaps, or has
 * notifications that still need an end. [TG3] Also true while a toggle overrides the configuration, because a reload
 * may switch it on again.
 */
export const hasOpenProblem = ({ phase, flap, notificationState, configured }: ObjectState): boolean =>
  isProblem(statusOf(phase)) ||
  flap.flapping ||
  !(notificationState === undefined || isSettled(notificationState)) ||
  configured !== undefined;

/** Last part of a step: compares the new state with what contacts were notified of, and plans what is due. */
export function planNotifications(
  context: StepContext,
  {
    before,
    after,
    input,
    accepted,
  }: { before: ObjectState; after: ObjectState; input: ObjectInput; accepted: boolean },
): PlannedNotifications {
  const event = eventOf(input, before, after);
  // The usual case, which has to be cheap: there is no problem and no notification of one.
  if (event === undefined && !hasOpenProblem(after))
    return { state: after, history: [], followUps: [], notifications: [], wakeAtMs: Number.POSITIVE_INFINITY };
  const planner = new NotificationPlanner(context, after);
  if (accepted) noteChange(planner, before, input);
  if (event !== undefined) planEvent(planner, event);
  planFlapping(planner);
  planProblem(planner);
  planDeferred(planner);
  const { history, followUps, notifications, wakeAtMs, notificationState } = planner;
  const state = planner.changed ? { ...after, notificationState } : after;
  return { state, history, followUps, notifications, wakeAtMs };
}

/** Updates what a result or an expired acknowledgement changes before any notification is decided. */
function noteChange(planner: NotificationPlanner, before: ObjectState, input: ObjectInput): void {
  const { plan, nowMs } = planner.context;
  if (input.kind === "result") {
    const stopped = before.flap.flapping && !planner.state.flap.flapping;
    const awaitsResult = stopped && !plan.flap.notifyOnFlapStop;
    if (planner.notificationState.awaitsResult !== awaitsResult) planner.change({ awaitsResult });
  }
  // [NO17] An acknowledgement that expires makes the renotification due at once.
  const expired =
    before.acknowledgement !== undefined && planner.state.acknowledgement === undefined && input.kind === "due";
  const nextAtMs = planner.announcement?.nextAtMs;
  if (expired && nextAtMs !== undefined) planner.changeAnnouncement({ nextAtMs: Math.min(nowMs, nextAtMs) });
}
