import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { type NotificationReason, notificationReasons } from "@realmwatch/shared/model/notification";
import { formatLocalTime } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";

/** @param name of the dependency, downtime, period, host or contact; may be empty */
type Clause = (name: string) => string;

/** Name in quotes with a space before it: ` "ops"`; empty when there is no name. */
const quoted = (name: string): string => (name === "" ? "" : ` ${JSON.stringify(name)}`);

/** Explanation of each reason, as the end of a sentence. */
const clauses: Readonly<Record<NotificationReason, Clause>> = {
  decided: () => "a notification was decided",
  program_off: () => "notifications are disabled for the whole realm",
  object_off: () => "notifications are disabled for this object",
  no_policy: () => "no notification policy applies to this object",
  no_problem: () => "there is no problem to notify about",
  soft: () => "the problem is soft: not confirmed yet",
  unreachable: (name) =>
    name === "" ? "unreachable: all paths to it are down" : `unreachable:${quoted(name)} on the path to it is down`,
  host_down: (name) => `its host${quoted(name)} is down, or recovered after the last result`,
  host_check_awaited: () => "waiting for a check of its host, which may be the cause",
  acknowledged: (name) => `the problem is acknowledged${name === "" ? "" : ` by${quoted(name)}`}`,
  dependency: (name) => `dependency${quoted(name)} has failed`,
  flapping: () => "state changes are suppressed while flapping",
  problem_not_notified: () => "no recipient was notified of the problem, so its end is not notified",
  downtime: (name) => `in downtime${quoted(name)}`,
  policy_period: (name) => `the timeperiod${quoted(name)} of the notification policy is closed`,
  not_due: () => "the next notification is not due yet",
  level_period: (name) => `the timeperiod${quoted(name)} of the escalation level is closed`,
  contact_off: (name) => `notifications to contact${quoted(name)} are disabled`,
  kind_disabled: () => "the escalation level did not send notifications of this kind",
  contact_period: (name) => `the timeperiod${quoted(name)} of the contact is closed`,
  digest: (name) => `the problem began and ended within one digest of contact${quoted(name)}`,
};

const isKnown = (reason: string): reason is NotificationReason =>
  (notificationReasons as readonly string[]).includes(reason);

/** Present state of the object that a reason is about. */
type PresentState = Pick<StatusRow, "flapping" | "suppressedBy">;

/** Explanation of a reason that the present state makes more exact; undefined for the other reasons. */
function presentClause({ reason, name }: Because, { flapping, suppressedBy }: PresentState): string | undefined {
  if (reason === "host_down")
    return suppressedBy.length > 0
      ? `its host${quoted(name)} is down`
      : `its host${quoted(name)} recovered after the last result of the service`;
  return reason === "flapping" && flapping === false ? "flapping has ended, and the next result is awaited" : undefined;
}

/**
 * Explains a notification decision, with its end time if there is one. A reason of a newer server is printed as it is.
 *
 * @param present undefined when the reason is one of the past
 */
export function explainReason(because: Because, screen: Screen, present?: PresentState): string {
  const { reason, name, until } = because;
  const exact = present && presentClause(because, present);
  const text = exact ?? (isKnown(reason) ? clauses[reason](name) : `${reason}${quoted(name)}`);
  return until === undefined ? text : `${text}, until ${formatLocalTime(until, screen)}`;
}
