import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { type NotificationReason, notificationReasons } from "@realmwatch/shared/model/notification";
import { formatLocalTime } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";

/** @param name of the dependency, downtime, period, host or contact; may be empty */
type Clause = (name: string) => string;

/** ` "ops"`, or nothing where there is no name. */
const quoted = (name: string): string => (name === "" ? "" : ` ${JSON.stringify(name)}`);

/** Each reason as the end of a sentence about why somebody was, or was not, told. */
const clauses: Readonly<Record<NotificationReason, Clause>> = {
  sent: () => "a message was sent",
  program_off: () => "notifications of the whole realm are switched off",
  object_off: () => "notifications of this object are switched off",
  no_policy: () => "no notification policy is set for it",
  no_problem: () => "there is no problem that could be spoken of",
  soft: () => "the problem is not confirmed yet",
  unreachable: (name) =>
    `it cannot be reached${name === "" ? "" : `: ${JSON.stringify(name)} on the way to it is down`}`,
  host_down: (name) => `its host${quoted(name)} is down, or came back after the last result`,
  host_check_awaited: () => "its host is looked at first, so that the right one is blamed",
  acknowledged: (name) => `${name === "" ? "somebody" : JSON.stringify(name)} has acknowledged the problem`,
  dependency: (name) => `what it depends on has failed: dependency${quoted(name)}`,
  flapping: () => "it flaps: it changes its status too often for each change to be worth a message",
  nobody_told: () => "nobody was told of the problem, so nobody has to hear that it is over",
  downtime: (name) => `it is in downtime${quoted(name)}`,
  policy_period: (name) => `the timeperiod${quoted(name)} of its notification policy is closed`,
  not_due: () => "it is not time yet to tell it again",
  level_period: (name) => `the timeperiod${quoted(name)} of the escalation level is closed`,
  contact_off: (name) => `notifications of contact${quoted(name)} are switched off`,
  kind_disabled: () => "the escalation level leaves out messages of this kind",
  contact_period: (name) => `the timeperiod${quoted(name)} of the contact is closed`,
  digest: (name) => `it began and ended within one digest of contact${quoted(name)}: there was nothing left to tell`,
};

const isKnown = (reason: string): reason is NotificationReason =>
  (notificationReasons as readonly string[]).includes(reason);

/** The reason in plain words, with its end where it has one. A word of a newer server is given as it is. */
export function explainReason({ reason, name, until }: Because, screen: Screen): string {
  const said = isKnown(reason) ? clauses[reason](name) : `${reason}${quoted(name)}`;
  return until === undefined ? said : `${said}, until ${formatLocalTime(until, screen)}`;
}
