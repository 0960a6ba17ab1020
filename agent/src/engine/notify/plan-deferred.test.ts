import assert from "node:assert/strict";
import { test } from "node:test";
import { failedDependency, escalationLevel, opensTwice, type NotificationCase, sentDuring } from "./scenario.fixture.ts";

const stories: readonly NotificationCase[] = [
  [
    "[NO17] an acknowledgement that runs out lets the next message go at once",
    {},
    (d) => {
      d.hard(2, "critical");
      d.acknowledge(3, { until: 30 });
      d.until(100);
    },
    ["2 PROBLEM critical -> ann", "30 PROBLEM critical -> ann", "90 PROBLEM critical -> ann"],
  ],
  [
    "[NO18] what began and ended behind a downtime cancels out",
    {},
    (d) => {
      d.downtime(0, 0, 50);
      d.hard(10, "critical");
      d.result(20, "ok");
      d.until(60);
    },
    ["0 DOWNTIME_START pending -> ann", "50 DOWNTIME_END ok -> ann"],
  ],
  [
    "[NO18] what still holds at its end is told then, by the clock",
    {},
    (d) => {
      d.downtime(0, 0, 50);
      d.hard(10, "critical");
      d.until(60);
    },
    ["0 DOWNTIME_START pending -> ann", "50 DOWNTIME_END critical -> ann", "50 PROBLEM critical -> ann"],
  ],
  [
    "[NO18] a recovery in a downtime is told at its end to those who know of the problem",
    {},
    (d) => {
      d.hard(2, "critical");
      d.downtime(3, 3, 50);
      d.result(10, "ok");
      d.until(60);
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
    (d) => {
      d.hard(2, "critical");
      d.downtime(3, 3, 70);
      d.until(130);
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
    (d) => {
      d.hard(2, "critical");
      d.downtime(3, 3, 70);
      d.until(300);
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
    (d) => {
      d.hard(2, "critical");
      d.result(25, "ok");
      d.hard(30, "critical");
      d.result(32, "ok");
      d.until(60);
    },
    ["10 PROBLEM critical -> ann", "40 RECOVERY ok -> ann"],
  ],
  [
    "[NO19] a closed level period holds at that level",
    {
      levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea", { threshold: 1, period: "day" }), escalationLevel("cat")],
      periods: { day: [[100, 110]] },
    },
    (d) => {
      d.hard(2, "critical");
      d.until(170);
    },
    ["2 PROBLEM critical -> ann", "100 PROBLEM critical -> bea", "160 PROBLEM critical -> cat"],
  ],
  [
    "[NO20] switched off, what comes is dropped; switched on, a problem that nobody knows of is told",
    {},
    (d) => {
      d.notifications(0, false);
      d.hard(2, "critical");
      d.notifications(5, true);
      d.program(6, false);
      d.result(7, "ok");
      d.program(8, true);
      d.result(9, "ok");
    },
    ["5 PROBLEM critical -> ann"],
  ],
  [
    "[NO20] a change that was dropped leaves the turns of the repetition where they are",
    {},
    (d) => {
      d.hard(2, "critical");
      d.program(10, false);
      d.result(20, "warning");
      d.program(100, true);
      d.until(130);
    },
    ["2 PROBLEM critical -> ann", "122 PROBLEM warning -> ann"],
  ],
  [
    "[NO21] a failed dependency of `suppress: problems` lets the recovery of a told problem through",
    {},
    (d) => {
      d.hard(2, "warning");
      d.depends(3, failedDependency);
      d.result(4, "critical");
      d.result(5, "ok");
    },
    ["2 PROBLEM warning -> ann", "5 RECOVERY ok -> ann"],
  ],
  [
    "[NO21] `suppress: all` withholds everything; once it clears, what holds is told at once",
    {},
    (d) => {
      d.depends(0, { ...failedDependency, suppress: "all" });
      d.hard(2, "critical");
      d.depends(3, undefined);
      d.depends(4, { ...failedDependency, suppress: "all" });
      d.result(5, "ok");
      d.depends(6, undefined);
    },
    ["3 PROBLEM critical -> ann", "6 RECOVERY ok -> ann"],
  ],
];
for (const [rule, world, happens, sent] of stories) test(rule, () => assert.deepEqual(sentDuring(world, happens), sent));
