import assert from "node:assert/strict";
import { test } from "node:test";
import { escalationLevel, type NotificationCase, opensTwice, sentDuring } from "./scenario.fixture.ts";

const cases: readonly NotificationCase[] = [
  [
    "[NO9] a notification without a reachable contact is not counted and is sent when one becomes reachable",
    {
      levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea")],
      contactPeriods: { ann: "day" },
      periods: { day: [[10, 20]] },
    },
    (s) => {
      s.hard(2, "critical");
      s.advanceTo(80);
    },
    ["10 PROBLEM critical -> ann", "70 PROBLEM critical -> bea"],
  ],
  [
    "[NO10] a contact is not notified of the status of its last notification, also after an acknowledged change",
    {},
    (s) => {
      s.hard(2, "critical");
      s.acknowledge(3, { sticky: true });
      s.result(4, "warning");
      s.result(5, "critical");
      s.unacknowledge(6);
      s.result(7, "critical");
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO12] a contact that is off is left out, a contact named twice is notified once",
    { levels: [escalationLevel("ann bea ann")] },
    (s) => {
      s.contact(0, "bea", false);
      s.hard(2, "critical");
      s.contact(3, "bea", true);
      s.result(4, "ok");
    },
    ["2 PROBLEM critical -> ann", "4 RECOVERY ok -> ann"],
  ],
  [
    "[NO29] a contact is notified of its statuses alone, and of the recovery when it was notified",
    { levels: [escalationLevel("ann bea")], contactStatuses: { bea: ["critical"] } },
    (s) => {
      s.hard(2, "warning");
      s.result(5, "critical");
      s.result(6, "ok");
    },
    ["2 PROBLEM warning -> ann", "5 STATUS_CHANGE critical -> ann bea", "6 RECOVERY ok -> ann bea"],
  ],
  [
    "[NO29] a contact that was not notified of a status is not sent its recovery",
    { levels: [escalationLevel("ann bea")], contactStatuses: { bea: ["critical"] } },
    (s) => {
      s.hard(2, "warning");
      s.result(4, "ok");
    },
    ["2 PROBLEM warning -> ann", "4 RECOVERY ok -> ann"],
  ],
  [
    "[NO29] a status that no contact is notified of does not advance the escalation",
    {
      levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea")],
      contactStatuses: { ann: ["critical"] },
    },
    (s) => {
      s.hard(2, "warning");
      s.result(65, "critical");
      s.advanceTo(126);
    },
    ["65 PROBLEM critical -> ann", "125 PROBLEM critical -> bea"],
  ],
  [
    "[NO13] a contact's closed period defers only its own notification, until it opens",
    {
      levels: [escalationLevel("ann bea")],
      contactPeriods: { bea: "day" },
      periods: opensTwice,
    },
    (s) => {
      s.hard(2, "critical");
      s.result(25, "ok");
      s.advanceTo(60);
    },
    ["2 PROBLEM critical -> ann", "10 PROBLEM critical -> bea", "25 RECOVERY ok -> ann", "40 RECOVERY ok -> bea"],
  ],
  [
    "[NO13] a deferred recovery is dropped when the problem returns",
    {
      contactPeriods: { ann: "day" },
      periods: {
        day: [
          [0, 20],
          [40, 50],
        ],
      },
    },
    (s) => {
      s.hard(2, "critical");
      s.result(25, "ok");
      s.hard(30, "critical");
      s.advanceTo(45);
      s.result(46, "ok");
    },
    ["2 PROBLEM critical -> ann", "46 RECOVERY ok -> ann"],
  ],
  [
    "[NO14] a recovery goes to every contact that was notified, at any level, and to no other",
    {
      levels: [
        escalationLevel("ann", { threshold: 1 }),
        escalationLevel("bea", { threshold: 1 }),
        escalationLevel("cat"),
      ],
    },
    (s) => {
      s.hard(2, "critical");
      s.advanceTo(100);
      s.result(101, "ok");
    },
    ["2 PROBLEM critical -> ann", "62 PROBLEM critical -> bea", "101 RECOVERY ok -> ann bea"],
  ],
  [
    "[NO14] after a recovery the next problem starts at the first level",
    { levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea")] },
    (s) => {
      s.hard(2, "critical");
      s.result(3, "ok");
      s.hard(5, "critical");
    },
    ["2 PROBLEM critical -> ann", "3 RECOVERY ok -> ann", "5 PROBLEM critical -> ann"],
  ],
];
for (const [rule, options, actions, sent] of cases)
  test(rule, () => assert.deepEqual(sentDuring(options, actions), sent));
