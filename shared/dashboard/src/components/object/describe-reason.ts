import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationReason } from "@realmwatch/shared/model/notification";

/** @param name of the dependency, downtime, period, host or contact; quoted, with a space before, or empty */
type Sentence = (name: string) => string;

const texts: Readonly<Record<Exclude<NotificationReason, "downtime">, Sentence>> = {
  sent: () => "A message was sent",
  program_off: () => "Notifications of the whole realm are switched off",
  object_off: () => "Notifications of this object are switched off",
  no_policy: () => "No notification policy covers this object",
  no_problem: () => "There is no problem to speak of",
  soft: () => "The problem is not confirmed yet",
  unreachable: (name) =>
    name === "" ? "All ways to it are down" : `It cannot be reached:${name} on the way to it is down`,
  host_down: (name) => `Its host${name} is down, or came back after the last result`,
  host_check_awaited: () => "Its host is looked at first, so that the right one is blamed",
  acknowledged: (name) => `${name === "" ? "Somebody" : name.trim()} has acknowledged the problem`,
  dependency: (name) => `What it depends on has failed: dependency${name}`,
  flapping: () => "It flaps: single changes are not worth a message",
  nobody_told: () => "Nobody was told of the problem, so nobody has to hear of its end",
  policy_period: (name) => `The period${name} of its policy is closed`,
  not_due: () => "It is not time yet to tell it again",
  level_period: (name) => `The period${name} of the escalation level is closed`,
  contact_off: (name) => `Contact${name} is switched off`,
  kind_disabled: () => "The escalation level leaves out messages of this kind",
  contact_period: (name) => `The contact's period${name} is closed`,
  digest: (name) => `It began and ended within one digest of contact${name}: there was nothing left to tell`,
};

const isKnown = (reason: string): reason is keyof typeof texts => Object.hasOwn(texts, reason);

const quoted = (name: string): string => (name === "" ? "" : ` “${name}”`);

/** Downtimes are named by an id that says nothing, save those of the configuration and those of a service's host. */
function downtimeText(name: string, host: string | undefined): string {
  if (name.startsWith(recurringPrefix))
    return `It is in the recurring downtime${quoted(name.slice(recurringPrefix.length))}`;
  return host !== undefined && name === host ? `Its host${quoted(name)} is in downtime` : "It is in downtime";
}

const recurringPrefix = "recurring:";

/**
 * Why somebody was, or was not, told, in a sentence without its full stop. A reason that a newer server invented is
 * shown as it came.
 *
 * @param host of the service that is spoken of
 */
export function describeReason({ reason, name }: Pick<Because, "reason" | "name">, host?: string): string {
  if (reason === "downtime") return downtimeText(name, host);
  return isKnown(reason) ? texts[reason](quoted(name)) : `${reason.replaceAll("_", " ")}${quoted(name)}`;
}

const opening: ReadonlySet<string> = new Set(["policy_period", "level_period", "contact_period"]);
const atMost: ReadonlySet<string> = new Set(["host_check_awaited"]);

/** The word before a reason's end: a closed period opens then, most others last until then. */
export function untilLabel(reason: string): string {
  if (opening.has(reason)) return "opens";
  return atMost.has(reason) ? "at most until" : "until";
}
