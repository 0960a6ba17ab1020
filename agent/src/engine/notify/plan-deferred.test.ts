import assert from "node:assert/strict";
import { test } from "node:test";
import {
  escalationLevel,
  failedDependency,
  type NotificationCase,
  opensTwice,
  sentDuring,
} from "./scenario.fixture.ts";

const cases: readonly NotificationCase[] = [
  [
    "[NO17] when an acknowledgement expires the next notification is sent at once",
    {},
    (s) => {
      s.hard(2, "critical");
      s.acknowledge(3, { until: 30 });
      s.advanceTo(100);
    },
    ["2 PROBLEM critical -> ann", "30 PROBLEM critical -> ann", "90 PROBLEM critical -> ann"],
  ],
  [
    "[NO18] a problem that begins and ends in a downtime is not notified",
    {},
    (s) => {
      s.downtime(0, 0, 50);
      s.hard(10, "critical");
      s.result(20, "ok");
      s.advanceTo(60);
    },
    ["0 DOWNTIME_START pending -> ann", "50 DOWNTIME_END ok -> ann"],
  ],
  [
    "[NO18] a problem that still holds at the end of a downtime is notified then, without a result",
    {},
    (s) => {
      s.downtime(0, 0, 50);
      s.hard(10, "critical");
      s.advanceTo(60);
    },
    ["0 DOWNTIME_START pending -> ann", "50 DOWNTIME_END critical -> ann", "50 PROBLEM critical -> ann"],
  ],
  [
    "[NO18] a recovery in a downtime is sent at its end to the contacts that were notified of the problem",
    {},
    (s) => {
      s.hard(2, "critical");
      s.downtime(3, 3, 50);
      s.result(10, "ok");
      s.advanceTo(60);
    },
    [
      "2 PROBLEM critical -> ann",
      "3 DOWNTIME_START critical -> ann",
      "50 DOWNTIME_END ok -> ann",
      "50 RECOVERY ok -> ann",
    ],
  ],
  [
    "[NO18] a problem notified before a downtime is not repeated at its end, but at the next renotification",
    {},
    (s) => {
      s.hard(2, "critical");
      s.downtime(3, 3, 70);
      s.advanceTo(130);
    },
    [
      "2 PROBLEM critical -> ann",
      "3 DOWNTIME_START critical -> ann",
      "70 DOWNTIME_END critical -> ann",
      "122 PROBLEM critical -> ann",
    ],
  ],
  [
    "[NO11, NO18] a level that notifies once is notified after a downtime has skipped its renotification time",
    { levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("boss", { renotifyIntervalMs: 0 })] },
    (s) => {
      s.hard(2, "critical");
      s.downtime(3, 3, 70);
      s.advanceTo(300);
    },
    [
      "2 PROBLEM critical -> ann",
      "3 DOWNTIME_START critical -> boss",
      "70 DOWNTIME_END critical -> boss",
      "122 PROBLEM critical -> boss",
    ],
  ],
  [
    "[NO19] a closed policy period defers notifications; a problem that ends meanwhile is not notified",
    {
      policy: { period: "day", levels: [escalationLevel("ann")] },
      periods: opensTwice,
    },
    (s) => {
      s.hard(2, "critical");
      s.result(25, "ok");
      s.hard(30, "critical");
      s.result(32, "ok");
      s.advanceTo(60);
    },
    ["10 PROBLEM critical -> ann", "40 RECOVERY ok -> ann"],
  ],
  [
    "[NO19] while a level's period is closed the escalation stays at that level",
    {
      levels: [
        escalationLevel("ann", { threshold: 1 }),
        escalationLevel("bea", { threshold: 1, period: "day" }),
        escalationLevel("cat"),
      ],
      periods: { day: [[100, 110]] },
    },
    (s) => {
      s.hard(2, "critical");
      s.advanceTo(170);
    },
    ["2 PROBLEM critical -> ann", "100 PROBLEM critical -> bea", "160 PROBLEM critical -> cat"],
  ],
  [
    "[NO20] notifications that are off are dropped; switched on, an unannounced problem is notified",
    {},
    (s) => {
      s.notifications(0, false);
      s.hard(2, "critical");
      s.notifications(5, true);
      s.program(6, false);
      s.result(7, "ok");
      s.program(8, true);
      s.result(9, "ok");
    },
    ["5 PROBLEM critical -> ann"],
  ],
  [
    "[NO20] a dropped status change does not move the renotification",
    {},
    (s) => {
      s.hard(2, "critical");
      s.program(10, false);
      s.result(20, "warning");
      s.program(100, true);
      s.advanceTo(130);
    },
    ["2 PROBLEM critical -> ann", "122 PROBLEM warning -> ann"],
  ],
  [
    "[NO21] a failed dependency with `suppress: problems` lets a recovery pass",
    {},
    (s) => {
      s.hard(2, "warning");
      s.setDependency(3, failedDependency);
      s.result(4, "critical");
      s.result(5, "ok");
    },
    ["2 PROBLEM warning -> ann", "5 RECOVERY ok -> ann"],
  ],
  [
    "[NO21] `suppress: all` suppresses everything; when it ends, notifications that still hold are sent at once",
    {},
    (s) => {
      s.setDependency(0, { ...failedDependency, suppress: "all" });
      s.hard(2, "critical");
      s.setDependency(3, undefined);
      s.setDependency(4, { ...failedDependency, suppress: "all" });
      s.result(5, "ok");
      s.setDependency(6, undefined);
    },
    ["3 PROBLEM critical -> ann", "6 RECOVERY ok -> ann"],
  ],
];
for (const [rule, options, actions, sent] of cases)
  test(rule, () => assert.deepEqual(sentDuring(options, actions), sent));
