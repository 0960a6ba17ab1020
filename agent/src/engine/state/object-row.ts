import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { NotificationProgress, Row } from "@realmwatch/shared/model/row";
import { isProblem } from "@realmwatch/shared/model/status";
import { maxAttemptsOf } from "./attempts.ts";
import { attemptOf, stateTypeOf, statusOf } from "./attempts.ts";
import { anyInEffect } from "../downtimes/downtimes.ts";
import type { ObjectState } from "./object-state.ts";
import { notificationDecision } from "../notify/notification-decision.ts";
import type { NotificationState } from "../notify/notification-state.ts";

/** What readers see of an object beside its own state. */
export type InheritedSuppression = {
  /** Its host is in downtime. */
  readonly hostInDowntime: boolean;
  /** Names of the host or the parents that make its problem nobody's concern. */
  readonly suppressedBy: readonly string[];
};

export const noInheritedSuppression: InheritedSuppression = { hostInDowntime: false, suppressedBy: [] };

/** The row of an object as an agent's readers see it. */
export function buildRow(
  plan: ObjectPlan,
  state: ObjectState,
  { covering, epoch, revision }: { covering: InheritedSuppression; epoch: number; revision: number },
): Row {
  const { phase, last } = state;
  const status = statusOf(phase);
  const problem = isProblem(status);
  const inDowntime = covering.hostInDowntime || anyInEffect(state.downtimes);
  const suppressedBy = problem ? covering.suppressedBy : [];
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

/** Where telling people of the object stands; undefined where nothing is open and nothing was ever told. */
function progressOf(plan: ObjectPlan, { phase, telling }: ObjectState): NotificationProgress | undefined {
  const soft = stateTypeOf(phase) === "soft";
  if (plan.policy === "" && isProblem(statusOf(phase))) return { ...shownOf(telling), because: notificationDecision("no_policy") };
  if (plan.policy !== "" && soft) return { ...shownOf(telling), because: notificationDecision("soft") };
  return telling === undefined ? undefined : shownOf(telling);
}

const nothingTold: NotificationProgress = {
  level: 0,
  sentAtLevel: 0,
  lastAtMs: undefined,
  nextAtMs: undefined,
  because: undefined,
};

const shownOf = (telling: NotificationState | undefined): NotificationProgress =>
  telling === undefined
    ? nothingTold
    : {
        level: telling.level,
        sentAtLevel: telling.sentAtLevel,
        lastAtMs: telling.lastAtMs,
        nextAtMs: telling.nextAtMs,
        because: telling.because,
      };
