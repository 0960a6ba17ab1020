import assert from "node:assert/strict";
import { test } from "node:test";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { describeReason, untilLabel } from "./describe-reason.ts";

const rows: [reason: string, name: string, text: string][] = [
  ["decided", "", "Notification decided"],
  ["program_off", "", "Notifications are disabled for the whole realm"],
  ["object_off", "", "Notifications are disabled for this object"],
  ["no_policy", "", "No notification policy applies to this object"],
  ["no_problem", "", "There is no problem to notify about"],
  ["soft", "", "The problem is soft: not confirmed yet"],
  ["unreachable", "edge-1", "Unreachable: “edge-1” on the path to it is down"],
  ["unreachable", "", "Unreachable: all paths to it are down"],
  ["host_down", "web-1", "Its host “web-1” is down, or recovered after the last result"],
  ["host_check_awaited", "", "Waiting for a check of its host, which may be the cause"],
  ["acknowledged", "ann", "The problem is acknowledged by “ann”"],
  ["acknowledged", "", "The problem is acknowledged"],
  ["dependency", "web needs db", "Dependency “web needs db” has failed"],
  ["flapping", "", "State changes are suppressed while flapping"],
  ["problem_not_notified", "", "No recipient was notified of the problem, so its end is not notified"],
  ["downtime", "recurring:patch night", "In the recurring downtime “patch night”"],
  ["downtime", "web-1", "Its host “web-1” is in downtime"],
  ["downtime", "4f1c09", "In downtime"],
  ["policy_period", "office", "The period “office” of the notification policy is closed"],
  ["not_due", "", "The next notification is not due yet"],
  ["level_period", "office", "The period “office” of the escalation level is closed"],
  ["contact_off", "desk", "Contact “desk” is muted"],
  ["kind_disabled", "", "The escalation level did not send notifications of this kind"],
  ["contact_period", "nights", "The contact's period “nights” is closed"],
  ["digest", "desk", "The problem began and ended within one digest of contact “desk”"],
  ["moon_phase", "full", "moon phase “full”"],
  ["toString", "", "toString"],
];
for (const [reason, name, text] of rows)
  test(`${reason} ${name} is described as: ${text}`, () =>
    assert.equal(describeReason({ reason, name }, "web-1"), text));

test("every reason has a description of its own", () => {
  for (const reason of notificationReasons)
    assert.notEqual(describeReason({ reason, name: "" }), reason.replaceAll("_", " "), reason);
});

test("a closed period opens at its end time, other reasons last until theirs", () => {
  assert.equal(untilLabel("contact_period"), "opens");
  assert.equal(untilLabel("downtime"), "until");
  assert.equal(untilLabel("host_check_awaited"), "at most until");
});
