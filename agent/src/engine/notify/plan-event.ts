import { type Author, noAuthor } from "@realmwatch/shared/model/author";
import type { NotificationDecision, NotificationKind, NotificationReason } from "@realmwatch/shared/model/notification";
import { anyInEffect } from "../downtimes/downtimes.ts";
import type { ObjectInput } from "../input.ts";
import { type ObjectState, statusOf } from "../state/object-state.ts";
import { applyFilters, escalationLevelOf, selectRecipients } from "./filters.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import { notificationDecision } from "./notification-state.ts";

/** An event of which contacts are notified once: it is sent now or, when suppressed, dropped. */
type NotificationEvent = { readonly kind: NotificationKind; readonly by: Author; readonly comment: string };

/** The event of an input; undefined when contacts are not notified of it. */
export function eventOf(input: ObjectInput, before: ObjectState, after: ObjectState): NotificationEvent | undefined {
  if (input.kind === "custom_notification") return { kind: "CUSTOM", by: input.by, comment: input.comment };
  if (input.kind === "acknowledge") {
    const { acknowledgement } = input;
    // Also without a problem: history then records that no notification was sent.
    return input.notify
      ? { kind: "ACKNOWLEDGEMENT", by: acknowledgement, comment: acknowledgement.comment }
      : undefined;
  }
  if (before.downtimes === after.downtimes) return undefined;
  const [was, is] = [before.downtimes.filter((d) => d.inEffect), after.downtimes.filter((d) => d.inEffect)];
  if (anyInEffect(before.downtimes) === anyInEffect(after.downtimes)) return undefined;
  const changed = is[0] ?? was[0];
  const comment = changed?.comment ?? "";
  if (is.length > 0) return { kind: "DOWNTIME_START", by: changed ?? noAuthor, comment };
  const deletedBy = input.kind === "delete_downtime" || input.kind === "downtime_trigger" ? input.by : undefined;
  const deleted = deletedBy !== undefined || input.kind === "downtime_trigger";
  return { kind: deleted ? "DOWNTIME_CANCELLED" : "DOWNTIME_END", by: deletedBy ?? changed ?? noAuthor, comment };
}

/**
 * [NO15] Plans an event's notification to the contacts of the current level. It does not count for the escalation.
 *
 * @returns reason for which it is dropped; undefined when it reaches a contact
 */
export function planEvent(
  planner: NotificationPlanner,
  { kind, by, comment }: NotificationEvent,
): NotificationReason | undefined {
  const due = planner.due(kind);
  // Without a policy, only the events that a command requests a notification for are recorded as dropped.
  if (due.policy === undefined && kind !== "CUSTOM" && kind !== "ACKNOWLEDGEMENT") return "no_policy";
  const suppressed = applyFilters(due) ?? disabledKind(planner, kind);
  const level = escalationLevelOf(due);
  if (suppressed !== undefined || level === undefined) {
    const decision = suppressed ?? notificationDecision("no_policy");
    planner.drop(kind, decision, { by, comment });
    return decision.reason;
  }
  const { reachable, decision } = selectRecipients(level.contacts, planner.context);
  if (reachable.length === 0) {
    const dropped = decision ?? notificationDecision("contact_off");
    planner.drop(kind, dropped, { by, comment });
    return dropped.reason;
  }
  planner.send(due, reachable, { by, comment, previousStatus: statusOf(planner.state.phase) });
  return undefined;
}

const disabledKind = (planner: NotificationPlanner, kind: NotificationKind): NotificationDecision | undefined =>
  escalationLevelOf(planner.due(kind))?.disabledKinds.includes(kind)
    ? notificationDecision("kind_disabled")
    : undefined;
