import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationReason } from "@realmwatch/shared/model/notification";

/** @param name of the dependency, downtime, period, host or contact; quoted, with a space before it, or empty */
type Sentence = (name: string) => string;

const texts: Readonly<Record<Exclude<NotificationReason, "downtime">, Sentence>> = {
  decided: () => "Notification decided",
  program_off: () => "Notifications are disabled for the whole realm",
  object_off: () => "Notifications are disabled for this object",
  no_policy: () => "No notification policy applies to this object",
  no_problem: () => "There is no problem to notify about",
  soft: () => "The problem is soft: not confirmed yet",
  unreachable: (name) =>
    name === "" ? "Unreachable: all paths to it are down" : `Unreachable:${name} on the path to it is down`,
  host_down: (name) => `Its host${name} is down, or recovered after the last result`,
  host_check_awaited: () => "Waiting for a check of its host, which may be the cause",
  acknowledged: (name) => (name === "" ? "The problem is acknowledged" : `The problem is acknowledged by${name}`),
  dependency: (name) => `Dependency${name} has failed`,
  flapping: () => "State changes are suppressed while flapping",
  problem_not_notified: () => "No recipient was notified of the problem, so its end is not notified",
  policy_period: (name) => `The period${name} of the notification policy is closed`,
  not_due: () => "The next notification is not due yet",
  level_period: (name) => `The period${name} of the escalation level is closed`,
  contact_off: (name) => `Notifications to contact${name} are disabled`,
  kind_disabled: () => "The escalation level did not send notifications of this kind",
  contact_period: (name) => `The contact's period${name} is closed`,
  digest: (name) => `The problem began and ended within one digest of contact${name}`,
};

const isKnown = (reason: string): reason is keyof typeof texts => Object.hasOwn(texts, reason);

const quoted = (name: string): string => (name === "" ? "" : ` “${name}”`);

/** Names the downtime only if it is recurring or that of the service's host: other names are internal ids. */
function downtimeText(name: string, host: string | undefined): string {
  if (name.startsWith(recurringPrefix)) return `In the recurring downtime${quoted(name.slice(recurringPrefix.length))}`;
  return host !== undefined && name === host ? `Its host${quoted(name)} is in downtime` : "In downtime";
}

const recurringPrefix = "recurring:";

/**
 * Describes a notification decision as a sentence without full stop. A reason of a newer server is displayed as its
 * enum value.
 *
 * @param host of the service that the decision is about
 */
export function describeReason({ reason, name }: Pick<Because, "reason" | "name">, host?: string): string {
  if (reason === "downtime") return downtimeText(name, host);
  return isKnown(reason) ? texts[reason](quoted(name)) : `${reason.replaceAll("_", " ")}${quoted(name)}`;
}

const periodReasons: ReadonlySet<string> = new Set(["policy_period", "level_period", "contact_period"]);
const upperBoundReasons: ReadonlySet<string> = new Set(["host_check_awaited"]);

/** Label before a reason's end time: a closed period opens at that time, other reasons last until then. */
export function untilLabel(reason: string): string {
  if (periodReasons.has(reason)) return "opens";
  return upperBoundReasons.has(reason) ? "at most until" : "until";
}
