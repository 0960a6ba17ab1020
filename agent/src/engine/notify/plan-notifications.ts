import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { ObjectInput } from "../input.ts";
import type { FollowUp } from "../follow-up.ts";
import { hasOpenProblem } from "./open-problem.ts";
import type { PlannedNotification } from "./planned-notification.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import { planDeferred } from "./plan-deferred.ts";
import { NotificationPlanner } from "./notification-planner.ts";
import { eventOf, planEvent } from "./plan-event.ts";
import { planFlapping } from "./plan-flapping.ts";
import { planProblem } from "./plan-problem.ts";

/** What a step means for those who are told. */
export type PlannedNotifications = {
  readonly state: ObjectState;
  readonly history: readonly HistoryEntry[];
  readonly followUps: readonly FollowUp[];
  readonly notifications: readonly PlannedNotification[];
  /** When time alone could let something out, Unix ms; Infinity for never. */
  readonly wakeAtMs: number;
};

/** The last look at an input: what was decided about the object is compared with what people know of it. */
export function planNotifications(
  context: StepContext,
  { before, after, input, taken }: { before: ObjectState; after: ObjectState; input: ObjectInput; taken: boolean },
): PlannedNotifications {
  const news = eventOf(input, before, after);
  // The usual case, which has to be cheap: all is well, and nobody was told otherwise.
  if (news === undefined && !hasOpenProblem(after))
    return { state: after, history: [], followUps: [], notifications: [], wakeAtMs: Number.POSITIVE_INFINITY };
  const draft = new NotificationPlanner(context, after);
  if (taken) followState(draft, before, input);
  if (news !== undefined) planEvent(draft, news);
  planFlapping(draft);
  planProblem(draft);
  planDeferred(draft);
  const { history, followUps, notifications, wakeAtMs, notificationState } = draft;
  const state = draft.changed ? { ...after, telling } : after;
  return { state, history, followUps, notifications, wakeAtMs };
}

/** What a result or an expiry changes before anything is decided. */
function followState(draft: NotificationPlanner, before: ObjectState, input: ObjectInput): void {
  const { plan, nowMs } = draft.context;
  if (input.kind === "result") {
    const stopped = before.flap.flapping && !draft.state.flap.flapping;
    const awaitsResult = stopped && !plan.flap.notifyOnFlapStop;
    if (draft.notificationState.awaitsResult !== awaitsResult) draft.change({ awaitsResult });
  }
  // [NO17] An acknowledgement that has run out is as good as an interval that has.
  const expired =
    before.acknowledgement !== undefined && draft.state.acknowledgement === undefined && input.kind === "due";
  if (expired && draft.notificationState.nextAtMs !== undefined)
    draft.change({ nextAtMs: Math.min(nowMs, draft.notificationState.nextAtMs) });
}
