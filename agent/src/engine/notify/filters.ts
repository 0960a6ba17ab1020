import type { LevelPlan, PolicyPlan } from "@realmwatch/shared/config/plan";
import type { NotificationDecision, NotificationKind, NotificationReason } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { isHostDown, isProblem, type ProblemStatus } from "@realmwatch/shared/model/status";
import { activationOf } from "../downtimes/downtimes.ts";
import type { NotificationRouting } from "../object-context.ts";
import { isEarlier } from "../state/is-earlier.ts";
import { type ObjectState, statusOf } from "../state/object-state.ts";
import type { StepContext } from "../transition.ts";
import { announcementOf, type NotificationState, notificationDecision, openProblemOf } from "./notification-state.ts";

/** A due notification, before the filters. `level`: index of the escalation level, from 0. */
export type DueNotification<Kind extends NotificationKind = NotificationKind> = {
  readonly kind: Kind;
  readonly context: StepContext;
  readonly state: ObjectState;
  readonly notificationState: NotificationState;
  readonly policy: PolicyPlan | undefined;
  readonly level: number;
};

/** Returns the decision that suppresses a notification, or undefined to let it pass. */
type Filter = (due: DueNotification) => NotificationDecision | undefined;

/** True for notifications about the problem itself; some filters suppress those and let a recovery pass. */
const isAboutProblem = (kind: NotificationKind): boolean => kind === "PROBLEM" || kind === "STATUS_CHANGE";

export const escalationLevelOf = ({
  policy,
  level,
}: Pick<DueNotification, "policy" | "level">): LevelPlan | undefined => policy?.levels[level];

/** Contacts of a level that are sent problems of a status: [NO28] the level selects it, and [NO29] the contact does. */
export function contactsOfStatus(
  level: LevelPlan,
  status: ProblemStatus,
  { key, routing }: { readonly key: ObjectKey; readonly routing: Pick<NotificationRouting, "contact"> },
): readonly string[] {
  // A host that is down is critical, whatever its check said.
  const selected = key.kind === "host" && isHostDown(status) ? "critical" : status;
  if (!level.statuses.includes(selected)) return [];
  return level.contacts.filter((name) => routing.contact(name)?.statuses?.includes(selected) ?? true);
}

const programOff: Filter = ({ context }) =>
  context.objectContext.routing.programOn ? undefined : notificationDecision("program_off");

const objectOff: Filter = ({ state }) => (state.toggles.notifications ? undefined : notificationDecision("object_off"));

const noPolicy: Filter = ({ policy }) => (policy === undefined ? notificationDecision("no_policy") : undefined);

const noProblem: Filter = ({ state }) =>
  isProblem(statusOf(state.phase)) ? undefined : notificationDecision("no_problem");

const unreachable: Filter = ({ kind, context, state }) =>
  isAboutProblem(kind) && statusOf(state.phase) === "unreachable"
    ? notificationDecision("unreachable", context.objectContext.blockedBy[0])
    : undefined;

/** [NO5] Also suppresses a result from before the host recovered: it is not evidence about the object itself. */
const hostDown: Filter = ({ kind, context, state }) => {
  if (!isAboutProblem(kind)) return undefined;
  const { hostDown: down, blockedBy, reachableSinceMs } = context.objectContext;
  const outdated =
    reachableSinceMs !== undefined && isEarlier(state.last?.executedAtMs ?? 0, reachableSinceMs, context.nowMs);
  return down || outdated ? notificationDecision("host_down", blockedBy[0]) : undefined;
};

/** [NO6] A service problem is often found before that of its host, so an on-demand check of the host comes first. */
const hostCheckAwaited: Filter = ({ kind, context, state, notificationState }) => {
  const { hostCheck } = context.objectContext;
  if (kind !== "PROBLEM" || announcementOf(notificationState) !== undefined || hostCheck === undefined)
    return undefined;
  if (!isEarlier(hostCheck.lastAtMs ?? 0, state.failingSinceMs ?? 0, context.nowMs)) return undefined;
  const sinceMs = openProblemOf(notificationState)?.hostCheckAwaitedSinceMs ?? context.nowMs;
  const untilMs = sinceMs + hostCheck.timeoutMs;
  return context.nowMs < untilMs ? notificationDecision("host_check_awaited", "", untilMs) : undefined;
};

const acknowledged: Filter = ({ kind, state: { acknowledgement } }) =>
  isAboutProblem(kind) && acknowledgement !== undefined
    ? notificationDecision("acknowledged", acknowledgement.author, acknowledgement.expiresAtMs)
    : undefined;

const dependency: Filter = ({ kind, context }) => {
  const failed = context.objectContext.dependency();
  if (failed === undefined || (failed.suppress === "problems" && !isAboutProblem(kind))) return undefined;
  return notificationDecision("dependency", failed.name, failed.untilMs);
};

const flapping: Filter = ({ kind, state, notificationState }) =>
  state.flap.flapping || (notificationState.awaitsResult && isAboutProblem(kind))
    ? notificationDecision("flapping")
    : undefined;

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

const period = (
  reason: NotificationReason,
  name: string,
  { objectContext, nowMs }: StepContext,
): NotificationDecision | undefined => {
  const { calendar } = objectContext.routing;
  if (name === "" || calendar.isOpen(name, nowMs)) return undefined;
  return notificationDecision(reason, name, calendar.nextOpen(name, nowMs));
};

const policyPeriod: Filter = ({ policy, context }) => period("policy_period", policy?.period ?? "", context);

const levelPeriod: Filter = (due) => period("level_period", escalationLevelOf(due)?.period ?? "", due.context);

const contactPeriodDecision = (name: string, context: StepContext): NotificationDecision | undefined =>
  period("contact_period", name, context);

const toggles = [programOff, objectOff, noPolicy];
const calendars = [policyPeriod, levelPeriod];
const problem = [
  ...toggles,
  unreachable,
  hostDown,
  hostCheckAwaited,
  acknowledged,
  dependency,
  flapping,
  downtime,
  ...calendars,
];
const recovery = [...toggles, dependency, flapping, downtime, policyPeriod];
const announcement = [...toggles, downtime, dependency, ...calendars];
const downtimeEvent = [...toggles, dependency, ...calendars];

/** [NO1] Filters of each kind, in the order in which they are applied. */
const filtersOf: Readonly<Record<NotificationKind, readonly Filter[]>> = {
  PROBLEM: problem,
  STATUS_CHANGE: problem,
  RECOVERY: recovery,
  FLAPPING_START: announcement,
  FLAPPING_STOP: announcement,
  ACKNOWLEDGEMENT: [...toggles, noProblem, downtime, dependency, ...calendars],
  CUSTOM: announcement,
  DOWNTIME_START: downtimeEvent,
  DOWNTIME_END: downtimeEvent,
  DOWNTIME_CANCELLED: downtimeEvent,
};

/** [NO1] The decision of the first filter that suppresses the notification; undefined when all let it pass. */
export function applyFilters(due: DueNotification): NotificationDecision | undefined {
  for (const filter of filtersOf[due.kind]) {
    const decision = filter(due);
    if (decision !== undefined) return decision;
  }
  return undefined;
}

/** Contacts of a notification, divided by their own toggles and periods. */
type RecipientSelection = {
  readonly reachable: readonly string[];
  /** Contacts whose period is closed, with its next opening, Unix ms; Infinity when it never opens. */
  readonly outsidePeriod: readonly { readonly contact: string; readonly opensAtMs: number }[];
  /** Decision on the first contact that is not reachable; undefined when all are. */
  readonly decision: NotificationDecision | undefined;
};

/** [NO12, NO13] Selects the reachable contacts of `names`, each once. */
export function selectRecipients(names: readonly string[], context: StepContext): RecipientSelection {
  const reachable: string[] = [];
  const outsidePeriod: { contact: string; opensAtMs: number }[] = [];
  let first: NotificationDecision | undefined;
  for (const name of new Set(names)) {
    const contact = context.objectContext.routing.contact(name);
    if (contact === undefined || !contact.on) {
      first ??= notificationDecision("contact_off", name, contact?.offUntilMs);
      continue;
    }
    const closed = contactPeriodDecision(contact.period, context);
    if (closed === undefined) {
      reachable.push(name);
      continue;
    }
    first ??= closed;
    outsidePeriod.push({ contact: name, opensAtMs: closed.untilMs ?? Number.POSITIVE_INFINITY });
  }
  return { reachable, outsidePeriod, decision: first };
}
