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
    "[NO17] an acknowledgement that runs out lets the next message go at once",
    {},
    (s) => {
      s.hard(2, "critical");
      s.acknowledge(3, { until: 30 });
      s.advanceTo(100);
    },
    ["2 PROBLEM critical -> ann", "30 PROBLEM critical -> ann", "90 PROBLEM critical -> ann"],
  ],
  [
    "[NO18] what began and ended behind a downtime cancels out",
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
    "[NO18] what still holds at its end is told then, by the clock",
    {},
    (s) => {
      s.downtime(0, 0, 50);
      s.hard(10, "critical");
      s.advanceTo(60);
    },
    ["0 DOWNTIME_START pending -> ann", "50 DOWNTIME_END critical -> ann", "50 PROBLEM critical -> ann"],
  ],
  [
    "[NO18] a recovery in a downtime is told at its end to those who know of the problem",
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
    "[NO18] a problem that was told before is not repeated at the end of a downtime, only in its turn",
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
    "[NO11, NO18] the turn that a downtime left out was the first one of a level that is told once: it still has its turn",
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
    "[NO19] a closed policy period defers, and what cancels out meanwhile is not told",
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
    "[NO19] a closed level period holds at that level",
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
    "[NO20] switched off, what comes is dropped; switched on, a problem that nobody knows of is told",
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
    "[NO20] a change that was dropped leaves the turns of the repetition where they are",
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
    "[NO21] a failed dependency of `suppress: problems` lets the recovery of a told problem through",
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
    "[NO21] `suppress: all` withholds everything; once it clears, what holds is told at once",
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
