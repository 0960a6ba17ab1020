import { noAuthor } from "@realmwatch/shared/model/author";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../transition.ts";
import { NotificationPlanner, type PlannedNotification } from "./notification-planner.ts";
import {
  announcementOf,
  type LastNotification,
  type NotificationState,
  notificationDecision,
} from "./notification-state.ts";

/** Last notifications about a removed object, and the state that they describe. */
type RemovalNotification = {
  readonly state: ObjectState;
  readonly notifications: readonly PlannedNotification[];
  readonly history: readonly HistoryEntry[];
};

/**
 * [RL7] Sends a recovery to the contacts of an object that is removed from the configuration: otherwise their alerts
 * would stay open for ever. There is no later step, so downtimes, dependencies and periods do not suppress it. Only
 * toggles, a disabled kind and missing contacts do, and history records them.
 */
export function notifyRemoved(context: StepContext, state: ObjectState): RemovalNotification {
  const { notificationState, last } = state;
  const contacts = notificationState === undefined ? [] : contactsDueRecovery(notificationState);
  if (notificationState === undefined || last === undefined || contacts.length === 0)
    return { state, notifications: [], history: [] };
  const removed: ObjectState = {
    ...state,
    phase: { kind: "ok" },
    lastChangeAtMs: context.nowMs,
    last: {
      ...last,
      output: "no longer monitored: taken out of the configuration",
      longOutput: last.output,
      perfdata: [],
    },
  };
  const planner = new NotificationPlanner(context, removed);
  const previousStatus = announcementOf(notificationState)?.status ?? contacts[0]?.status ?? "unknown";
  const details = { by: noAuthor, comment: "", previousStatus };
  const reachable: string[] = [];
  const dropped = new Map<string, NotificationDecision>();
  for (const contact of contacts) {
    const decision = dropDecision(context, state, contact);
    if (decision === undefined) reachable.push(contact.name);
    else dropped.set(`${decision.reason} ${decision.name}`, decision);
  }
  if (reachable.length > 0) planner.send(planner.due("RECOVERY"), reachable, details);
  for (const decision of dropped.values()) planner.drop("RECOVERY", decision, details);
  return { state: removed, notifications: planner.notifications, history: planner.history };
}

type NotifiedContact = LastNotification & { readonly name: string };

function dropDecision(
  { objectContext }: StepContext,
  { toggles }: ObjectState,
  { name, level }: NotifiedContact,
): NotificationDecision | undefined {
  const { programOn, policy, contact } = objectContext.routing;
  if (!programOn) return notificationDecision("program_off");
  if (!toggles.notifications) return notificationDecision("object_off");
  if (policy?.levels[level]?.disabledKinds.includes("RECOVERY")) return notificationDecision("kind_disabled");
  return contact(name)?.on ? undefined : notificationDecision("contact_off", name);
}

/** Contacts that were notified of the open problem or, without one, whose recovery from the last one is deferred. */
const contactsDueRecovery = ({ problem }: NotificationState): readonly NotifiedContact[] =>
  problem.kind === "open"
    ? Object.entries(problem.notified).map(([name, last]) => ({ name, ...last }))
    : problem.deferredRecoveries.map(({ contact, level, status }) => ({ name: contact, level, status }));
