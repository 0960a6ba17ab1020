import type { LevelPlan, PolicyPlan } from "@realmwatch/shared/config/plan";
import type { NotificationDecision, NotificationKind, NotificationReason } from "@realmwatch/shared/model/notification";
import { isProblem } from "@realmwatch/shared/model/status";
import { statusOf } from "../state/attempts.ts";
import { isEarlier } from "../state/is-earlier.ts";
import { activationOf } from "../downtimes/downtimes.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import type { NotificationState } from "./notification-state.ts";

/** A message that is owed, on its way through the filters. */
export type DueNotification = {
  readonly kind: NotificationKind;
  readonly context: StepContext;
  readonly state: ObjectState;
  readonly notificationState: NotificationState;
  readonly policy: PolicyPlan | undefined;
  readonly level: number;
};

/** Why a message does not go out; undefined lets it pass. */
type Filter = (owed: DueNotification) => NotificationDecision | undefined;

export const notificationDecision = (reason: NotificationReason, name = "", untilMs?: number): NotificationDecision => ({
  reason,
  name,
  untilMs,
});

/** About the problem itself; that it is over may pass where another word of it may not. */
const speaksOfProblem = (kind: NotificationKind): boolean => kind === "PROBLEM" || kind === "STATUS_CHANGE";

export const escalationLevelOf = ({ policy, level }: Pick<DueNotification, "policy" | "level">): LevelPlan | undefined =>
  policy?.levels[level];

const programOff: Filter = ({ context }) => (context.objectContext.routing.programOn ? undefined : notificationDecision("program_off"));

const objectOff: Filter = ({ state }) => (state.toggles.notifications ? undefined : notificationDecision("object_off"));

const noPolicy: Filter = ({ policy }) => (policy === undefined ? notificationDecision("no_policy") : undefined);

const noProblem: Filter = ({ state }) => (isProblem(statusOf(state.phase)) ? undefined : notificationDecision("no_problem"));

/** Nobody can tell what is the matter with an object that cannot be reached. */
const unreachable: Filter = ({ kind, context, state }) =>
  speaksOfProblem(kind) && statusOf(state.phase) === "unreachable"
    ? notificationDecision("unreachable", context.objectContext.blockedBy[0])
    : undefined;

/** [NO5] Also of a result from before the host came back: it says nothing of the object itself. */
const hostDown: Filter = ({ kind, context, state }) => {
  if (!speaksOfProblem(kind)) return undefined;
  const { hostDown: down, blockedBy, reachableSinceMs } = context.objectContext;
  const old =
    reachableSinceMs !== undefined && isEarlier(state.last?.executedAtMs ?? 0, reachableSinceMs, context.nowMs);
  return down || old ? notificationDecision("host_down", blockedBy[0]) : undefined;
};

/** [NO6] A service is often found broken before its host is: one look at the host decides who the problem is. */
const hostCheckAwaited: Filter = ({ kind, context, state, notificationState }) => {
  const { hostCheck } = context.objectContext;
  if (kind !== "PROBLEM" || notificationState.announced !== undefined || hostCheck === undefined) return undefined;
  if (!isEarlier(hostCheck.lastAtMs ?? 0, state.failingSinceMs ?? 0, context.nowMs)) return undefined;
  const untilMs = (notificationState.hostAwaitedSinceMs ?? context.nowMs) + hostCheck.timeoutMs;
  return context.nowMs < untilMs ? notificationDecision("host_check_awaited", "", untilMs) : undefined;
};

const acknowledged: Filter = ({ kind, state: { acknowledgement } }) =>
  speaksOfProblem(kind) && acknowledgement !== undefined
    ? notificationDecision("acknowledged", acknowledgement.author, acknowledgement.expiresAtMs)
    : undefined;

const dependency: Filter = ({ kind, context }) => {
  const failed = context.objectContext.dependency();
  if (failed === undefined || (failed.suppress === "problems" && !speaksOfProblem(kind))) return undefined;
  return notificationDecision("dependency", failed.name, failed.untilMs);
};

const flapping: Filter = ({ kind, state, notificationState }) =>
  state.flap.flapping || (notificationState.awaitsResult && speaksOfProblem(kind)) ? notificationDecision("flapping") : undefined;

const downtime: Filter = ({ context, state }) => {
  const own = state.downtimes.filter(({ inEffect }) => inEffect);
  if (own.length === 0)
    return context.objectContext.hostInDowntime && context.plan.key.kind === "service"
      ? notificationDecision("downtime", context.plan.key.host)
      : undefined;
  const last = own.reduce((a, b) => (endMs(a) >= endMs(b) ? a : b));
  return notificationDecision("downtime", last.id, endMs(last));
};

const endMs = (of: ObjectState["downtimes"][number]): number => activationOf(of)?.untilMs ?? of.endMs;

const period = (reason: NotificationReason, name: string, { objectContext, nowMs }: StepContext): NotificationDecision | undefined => {
  const { calendar } = objectContext.routing;
  if (name === "" || calendar.isOpen(name, nowMs)) return undefined;
  return notificationDecision(reason, name, calendar.nextOpen(name, nowMs));
};

const policyPeriod: Filter = ({ policy, context }) => period("policy_period", policy?.period ?? "", context);

const levelPeriod: Filter = (owed) => period("level_period", escalationLevelOf(owed)?.period ?? "", owed.context);

export const contactPeriodDecision = (name: string, context: StepContext): NotificationDecision | undefined =>
  period("contact_period", name, context);

const switches = [programOff, objectOff, noPolicy];
const calendars = [policyPeriod, levelPeriod];
const problem = [
  ...switches,
  unreachable,
  hostDown,
  hostCheckAwaited,
  acknowledged,
  dependency,
  flapping,
  downtime,
  ...calendars,
];
const recovery = [...switches, dependency, flapping, downtime, policyPeriod];
const announcement = [...switches, downtime, dependency, ...calendars];
const downtimeNews = [...switches, dependency, ...calendars];

/** [NO1] The filters each kind passes, in the order in which they are asked. */
const filtersOf: Readonly<Record<NotificationKind, readonly Filter[]>> = {
  PROBLEM: problem,
  STATUS_CHANGE: problem,
  RECOVERY: recovery,
  FLAPPING_START: announcement,
  FLAPPING_STOP: announcement,
  ACKNOWLEDGEMENT: [...switches, noProblem, downtime, dependency, ...calendars],
  CUSTOM: announcement,
  DOWNTIME_START: downtimeNews,
  DOWNTIME_END: downtimeNews,
  DOWNTIME_CANCELLED: downtimeNews,
};

/** The first answer decides. */
export function applyFilters(owed: DueNotification): NotificationDecision | undefined {
  for (const filter of filtersOf[owed.kind]) {
    const answer = filter(owed);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
