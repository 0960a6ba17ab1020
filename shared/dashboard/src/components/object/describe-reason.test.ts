import assert from "node:assert/strict";
import { test } from "node:test";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { describeReason, untilLabel } from "./describe-reason.ts";

const rows: [reason: string, name: string, said: string][] = [
  ["sent", "", "A message was sent"],
  ["program_off", "", "Notifications of the whole realm are switched off"],
  ["object_off", "", "Notifications of this object are switched off"],
  ["no_policy", "", "No notification policy covers this object"],
  ["no_problem", "", "There is no problem to speak of"],
  ["soft", "", "The problem is not confirmed yet"],
  ["unreachable", "edge-1", "It cannot be reached: “edge-1” on the way to it is down"],
  ["unreachable", "", "All ways to it are down"],
  ["host_down", "web-1", "Its host “web-1” is down, or came back after the last result"],
  ["host_check_awaited", "", "Its host is looked at first, so that the right one is blamed"],
  ["acknowledged", "ann", "“ann” has acknowledged the problem"],
  ["acknowledged", "", "Somebody has acknowledged the problem"],
  ["dependency", "web needs db", "What it depends on has failed: dependency “web needs db”"],
  ["flapping", "", "It flaps: single changes are not worth a message"],
  ["nobody_told", "", "Nobody was told of the problem, so nobody has to hear of its end"],
  ["downtime", "recurring:patch night", "It is in the recurring downtime “patch night”"],
  ["downtime", "web-1", "Its host “web-1” is in downtime"],
  ["downtime", "4f1c09", "It is in downtime"],
  ["policy_period", "office", "The period “office” of its policy is closed"],
  ["not_due", "", "It is not time yet to tell it again"],
  ["level_period", "office", "The period “office” of the escalation level is closed"],
  ["contact_off", "desk", "Contact “desk” is switched off"],
  ["kind_disabled", "", "The escalation level leaves out messages of this kind"],
  ["contact_period", "nights", "The contact's period “nights” is closed"],
  ["digest", "desk", "It began and ended within one digest of contact “desk”: there was nothing left to tell"],
  ["moon_phase", "full", "moon phase “full”"],
  ["toString", "", "toString"],
];
for (const [reason, name, said] of rows)
  test(`${reason} ${name} reads: ${said}`, () => assert.equal(describeReason({ reason, name }, "web-1"), said));

test("each reason that there is reads otherwise than a word that nobody knows", () => {
  for (const reason of notificationReasons)
    assert.notEqual(describeReason({ reason, name: "" }), reason.replaceAll("_", " "), reason);
});

test("a closed period opens, anything else lasts until", () => {
  assert.equal(untilLabel("contact_period"), "opens");
  assert.equal(untilLabel("downtime"), "until");
  assert.equal(untilLabel("host_check_awaited"), "at most until");
});
