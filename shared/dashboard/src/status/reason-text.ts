import type { Because } from "@realmwatch/proto/svc/v1/common_pb";

const texts: Readonly<Record<string, string>> = {
  sent: "Somebody was notified",
  program_off: "Notifications of the whole realm are switched off",
  object_off: "Notifications of this object are switched off",
  no_policy: "No notification policy covers this object",
  no_problem: "There is no open problem",
  soft: "The problem is soft: it is still being confirmed",
  unreachable: "The object is unreachable because its parents are down",
  host_down: "The host itself is down",
  host_check_awaited: "The host is being checked first",
  acknowledged: "The problem is acknowledged",
  dependency: "Something it depends on fails",
  flapping: "The object is flapping",
  nobody_told: "Nobody was told of the problem, so nobody is told of its end",
  downtime: "A downtime is in effect",
  policy_period: "Outside the policy's notification period",
  not_due: "The next notification is not due yet",
  level_period: "Outside the escalation level's period",
  contact_off: "Notifications to the contact are switched off",
  kind_disabled: "The policy leaves out this kind of notification",
  contact_period: "Outside the contact's notification period",
  digest: "It is kept for the contact's next digest",
};

/** The reason in a sentence. One that a newer server invented is shown as it came. */
export function reasonText(because: Because): string {
  const text = texts[because.reason] ?? because.reason.replaceAll("_", " ");
  return because.name === "" ? text : `${text} (${because.name})`;
}
