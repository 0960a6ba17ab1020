import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { NotificationProgress, Row } from "@realmwatch/shared/model/row";
import { isProblem } from "@realmwatch/shared/model/status";
import { anyInEffect } from "../downtimes/downtimes.ts";
import { notificationDecision } from "../notify/notification-decision.ts";
import { announcementOf, type NotificationState } from "../notify/notification-state.ts";
import { attemptOf, maxAttemptsOf, stateTypeOf, statusOf } from "./attempts.ts";
import type { ObjectState } from "./object-state.ts";

/** Suppression of an object's problem by other objects. */
export type InheritedSuppression = {
  /** True for a service whose host is in downtime. */
  readonly hostInDowntime: boolean;
  /** Names of the host, or of the parents, that are down and hide the state of this object. */
  readonly suppressedBy: readonly string[];
};

export const noInheritedSuppression: InheritedSuppression = { hostInDowntime: false, suppressedBy: [] };

/** Builds the row of an object in the agent's read model. */
export function buildRow(
  plan: ObjectPlan,
  state: ObjectState,
  { inherited, epoch, revision }: { inherited: InheritedSuppression; epoch: number; revision: number },
): Row {
  const { phase, last } = state;
  const status = statusOf(phase);
  const problem = isProblem(status);
  const inDowntime = inherited.hostInDowntime || anyInEffect(state.downtimes);
  const suppressedBy = problem ? inherited.suppressedBy : [];
  return {
    about: plan.about,
    realm: "",
    epoch,
    revision,
    status,
    stateType: stateTypeOf(phase),
    attempt: attemptOf(phase, maxAttemptsOf(plan)),
    maxAttempts: maxAttemptsOf(plan),
    lastHardStatus: state.lastHardStatus,
    output: last?.output ?? "",
    longOutput: last?.longOutput ?? "",
    perfdata: last?.perfdata ?? [],
    lastCheckAtMs: last?.executedAtMs,
    nextCheckAtMs: state.nextCheckAtMs,
    lastChangeAtMs: state.lastChangeAtMs,
    lastHardChangeAtMs: state.lastHardChangeAtMs,
    latencyMs: last?.latencyMs,
    executionMs: last?.executionMs,
    checkSource: last?.source ?? "",
    flapping: state.flap.flapping,
    flapValue: state.flap.value,
    acknowledgement: state.acknowledgement,
    downtimes: state.downtimes,
    inDowntime,
    comments: state.comments,
    toggles: state.toggles,
    notification: progressOf(plan, state),
    suppressedBy,
    handled: problem && (state.acknowledgement !== undefined || inDowntime || suppressedBy.length > 0),
  };
}

/** Progress in the notification policy; undefined without a problem when no notification was ever due. */
function progressOf(plan: ObjectPlan, { phase, notificationState }: ObjectState): NotificationProgress | undefined {
  const soft = stateTypeOf(phase) === "soft";
  if (plan.policy === "" && isProblem(statusOf(phase)))
    return { ...storedProgress(notificationState), because: notificationDecision("no_policy") };
  if (plan.policy !== "" && soft)
    return { ...storedProgress(notificationState), because: notificationDecision("soft") };
  return notificationState === undefined ? undefined : storedProgress(notificationState);
}

function storedProgress(state: NotificationState | undefined): NotificationProgress {
  const { level = 0, sentAtLevel = 0, nextAtMs } = (state && announcementOf(state)) ?? {};
  return { level, sentAtLevel, lastAtMs: state?.lastAtMs, nextAtMs, because: state?.decision?.decision };
}
