import type { NotificationReason } from "../model/notification.ts";

/** @param name of the dependency, period, host or contact; quoted, with a space before it, or empty */
type Clause = (name: string) => string;

const clauses: Readonly<Record<NotificationReason, Clause>> = {
  decided: () => "notification decided",
  program_off: () => "notifications are disabled for the whole realm",
  object_off: () => "notifications are disabled for this object",
  no_policy: () => "no notification policy applies to this object",
  no_problem: () => "there is no problem to notify about",
  soft: () => "the problem is soft: not confirmed yet",
  unreachable: (name) =>
    name === "" ? "unreachable: all paths to it are down" : `unreachable:${name} on the path to it is down`,
  host_down: (name) => `its host${name} is down, or recovered after the last result`,
  host_check_awaited: () => "waiting for a check of its host, which may be the cause",
  acknowledged: (name) => (name === "" ? "the problem is acknowledged" : `the problem is acknowledged by${name}`),
  dependency: (name) => `dependency${name} has failed`,
  flapping: () => "state changes are suppressed while flapping",
  problem_not_notified: () => "no recipient was notified of the problem, so its end is not notified",
  downtime: (name) => `in downtime${name}`,
  policy_period: (name) => `the period${name} of the notification policy is closed`,
  not_due: () => "the next notification is not due yet",
  level_period: (name) => `the period${name} of the escalation level is closed`,
  contact_off: (name) => `contact${name} is muted`,
  kind_disabled: () => "the escalation level did not send notifications of this kind",
  status_not_selected: () => "the escalation level does not notify this status",
  contact_period: (name) => `the contact's period${name} is closed`,
  digest: (name) => `the problem began and ended within one digest of contact${name}`,
};

const isKnown = (reason: string): reason is NotificationReason => Object.hasOwn(clauses, reason);

/** Explanation of a notification decision, as the end of a sentence; undefined for a reason of a newer server. */
export const reasonClause = (reason: string, name: string): string | undefined =>
  isKnown(reason) ? clauses[reason](name) : undefined;

/** True for the reasons that end when a period opens. */
export const isPeriodReason = (reason: string): boolean =>
  reason === "policy_period" || reason === "level_period" || reason === "contact_period";
