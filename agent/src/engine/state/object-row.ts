import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { NotificationProgress } from "@realmwatch/shared/model/row";
import { isProblem } from "@realmwatch/shared/model/status";
import type { Row } from "@realmwatch/shared/row/row";
import { anyInEffect } from "../downtimes/downtimes.ts";
import { announcementOf, type NotificationState, notificationDecision } from "../notify/notification-state.ts";
import { attemptOf, maxAttemptsOf, type ObjectState, stateTypeOf, statusOf } from "./object-state.ts";

/** Suppression of an object's problem by other objects. */
export type InheritedSuppression = {
  /** True for a service whose host is in downtime. */
  readonly hostInDowntime: boolean;
  /** Names of the host, or of the parents, that are down and hide the state of this object. */
  readonly suppressedBy: readonly string[];
  /** References of these hosts, and of the objects whose problems let dependencies fail. */
  readonly suppressors: readonly string[];
};

export const noInheritedSuppression: InheritedSuppression = {
  hostInDowntime: false,
  suppressedBy: [],
  suppressors: [],
};

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
    overdueAtMs: overdueAtMsOf(plan, state),
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
    suppressors: problem ? inherited.suppressors : [],
    impact: undefined,
    cause: undefined,
    handled: problem && (state.acknowledgement !== undefined || inDowntime || suppressedBy.length > 0),
    truncated: false,
  };
}

/** Time by which a result may be late in addition to its own interval, ms. */
const latenessMs = 30_000;

/** [RM20] Time from which the next result is overdue, Unix ms; undefined when none is expected. */
function overdueAtMsOf(plan: ObjectPlan, state: ObjectState): number | undefined {
  const { nextCheckAtMs, toggles } = state;
  if (!isChecked(plan)) return undefined;
  if (plan.check.type === "passive")
    return toggles.passiveChecks ? expectedFromMs(state) + 2 * plan.check.freshnessThresholdMs + latenessMs : undefined;
  if (nextCheckAtMs === undefined || !toggles.activeChecks) return undefined;
  return nextCheckAtMs + plan.schedule.checkIntervalMs + latenessMs;
}

/** Start of the wait for a passive result, Unix ms. Stale results restart the threshold, but are not the awaited result. */
function expectedFromMs({ last, freshFromMs, heardAtMs }: ObjectState): number {
  const lastIsStale = last !== undefined && last.realAtMs !== last.executedAtMs;
  return lastIsStale ? heardAtMs : freshFromMs;
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
  const deliveries = (state?.deliveries ?? []).map(({ decisionId: _, ...delivery }) => delivery);
  return { level, sentAtLevel, lastAtMs: state?.lastAtMs, nextAtMs, because: state?.decision?.decision, deliveries };
}
