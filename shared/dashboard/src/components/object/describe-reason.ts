import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationReason } from "@realmwatch/shared/model/notification";
import { componentTexts } from "../../texts/component-texts.ts";

/** @param name of the dependency, downtime, period, host or contact; quoted, with a space before it, or empty */
type Sentence = (name: string) => string;

const texts: Readonly<Record<Exclude<NotificationReason, "downtime">, Sentence>> = {
  decided: () => componentTexts.notificationDecided,
  program_off: () => componentTexts.notificationsAreDisabledForThe,
  object_off: () => componentTexts.notificationsAreDisabledForThis,
  no_policy: () => componentTexts.noNotificationPolicyAppliesTo,
  no_problem: () => componentTexts.thereIsNoProblemTo,
  soft: () => componentTexts.theProblemIsSoftNot,
  unreachable: (name) =>
    name === "" ? componentTexts.unreachableAllPathsToIt : componentTexts.unreachableOnThePathTo(name),
  host_down: (name) => componentTexts.itsHostIsDownOr(name),
  host_check_awaited: () => componentTexts.waitingForACheckOf,
  acknowledged: (name) =>
    name === "" ? componentTexts.theProblemIsAcknowledged : componentTexts.theProblemIsAcknowledgedBy(name),
  dependency: (name) => componentTexts.dependencyHasFailed(name),
  flapping: () => componentTexts.stateChangesAreSuppressedWhile,
  problem_not_notified: () => componentTexts.noRecipientWasNotifiedOf,
  policy_period: (name) => componentTexts.thePeriodOfTheNotification(name),
  not_due: () => componentTexts.theNextNotificationIsNot,
  level_period: (name) => componentTexts.thePeriodOfTheEscalation(name),
  contact_off: (name) => componentTexts.notificationsToContactAreDisabled(name),
  kind_disabled: () => componentTexts.theEscalationLevelDidNot,
  contact_period: (name) => componentTexts.theContactsPeriodIsClosed(name),
  digest: (name) => componentTexts.theProblemBeganAndEnded(name),
};

const isKnown = (reason: string): reason is keyof typeof texts => Object.hasOwn(texts, reason);

const quoted = (name: string): string => (name === "" ? "" : ` “${name}”`);

/** Names the downtime only if it is recurring or that of the service's host: other names are internal ids. */
function downtimeText(name: string, host: string | undefined): string {
  if (name.startsWith(recurringPrefix))
    return componentTexts.inTheRecurringDowntime(quoted(name.slice(recurringPrefix.length)));
  return host !== undefined && name === host
    ? componentTexts.itsHostIsInDowntime(quoted(name))
    : componentTexts.inDowntime;
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
