import assert from "node:assert/strict";
import { test } from "node:test";
import { escalationLevel, opensTwice, type NotificationCase, sentDuring } from "./scenario.fixture.ts";

const stories: readonly NotificationCase[] = [
  [
    "[NO9] where nobody is reached nothing is counted, and it goes out at the next chance",
    {
      levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea")],
      contactPeriods: { ann: "day" },
      periods: { day: [[10, 20]] },
    },
    (d) => {
      d.hard(2, "critical");
      d.until(80);
    },
    ["10 PROBLEM critical -> ann", "70 PROBLEM critical -> bea"],
  ],
  [
    "[NO10] what a contact knows already is no news, also after a change that was acknowledged",
    {},
    (d) => {
      d.hard(2, "critical");
      d.acknowledge(3, { sticky: true });
      d.result(4, "warning");
      d.result(5, "critical");
      d.unacknowledge(6);
      d.result(7, "critical");
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO12] a contact that is off is left out, one that is named twice is told once",
    { levels: [escalationLevel("ann bea ann")] },
    (d) => {
      d.contact(0, "bea", false);
      d.hard(2, "critical");
      d.contact(3, "bea", true);
      d.result(4, "ok");
    },
    ["2 PROBLEM critical -> ann", "4 RECOVERY ok -> ann"],
  ],
  [
    "[NO13] a contact's closed period holds back only that contact, until it opens",
    {
      levels: [escalationLevel("ann bea")],
      contactPeriods: { bea: "day" },
      periods: opensTwice,
    },
    (d) => {
      d.hard(2, "critical");
      d.result(25, "ok");
      d.until(60);
    },
    ["2 PROBLEM critical -> ann", "10 PROBLEM critical -> bea", "25 RECOVERY ok -> ann", "40 RECOVERY ok -> bea"],
  ],
  [
    "[NO13] a recovery held back for a contact is dropped where the same problem comes again",
    {
      contactPeriods: { ann: "day" },
      periods: {
        day: [
          [0, 20],
          [40, 50],
        ],
      },
    },
    (d) => {
      d.hard(2, "critical");
      d.result(25, "ok");
      d.hard(30, "critical");
      d.until(45);
      d.result(46, "ok");
    },
    ["2 PROBLEM critical -> ann", "46 RECOVERY ok -> ann"],
  ],
  [
    "[NO14] recovery goes to everyone who was told, at whatever level, and to nobody else",
    { levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea", { threshold: 1 }), escalationLevel("cat")] },
    (d) => {
      d.hard(2, "critical");
      d.until(100);
      d.result(101, "ok");
    },
    ["2 PROBLEM critical -> ann", "62 PROBLEM critical -> bea", "101 RECOVERY ok -> ann bea"],
  ],
  [
    "[NO14] after it the next problem begins at the first level",
    { levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea")] },
    (d) => {
      d.hard(2, "critical");
      d.result(3, "ok");
      d.hard(5, "critical");
    },
    ["2 PROBLEM critical -> ann", "3 RECOVERY ok -> ann", "5 PROBLEM critical -> ann"],
  ],
];
for (const [rule, world, happens, sent] of stories) test(rule, () => assert.deepEqual(sentDuring(world, happens), sent));
