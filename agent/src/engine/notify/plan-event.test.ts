import assert from "node:assert/strict";
import { test } from "node:test";
import { type NotificationScenario, escalationLevel, type NotificationCase, twoAttemptService, sentDuring } from "./scenario.fixture.ts";

const flap = (d: NotificationScenario, from: number, times: number): void => {
  for (let n = 0; n < times; n += 1) d.result(from + n, n % 2 === 0 ? "critical" : "ok");
};

const stories: readonly NotificationCase[] = [
  [
    "[NO15] an acknowledgement and a custom word go to the current level and count for nothing",
    { levels: [escalationLevel("ann", { threshold: 2 }), escalationLevel("bea")] },
    (d) => {
      d.custom(0);
      d.hard(2, "critical");
      d.custom(3);
      d.acknowledge(4, { notify: true });
      d.unacknowledge(5);
      d.until(125);
    },
    [
      "0 CUSTOM pending -> ann",
      "2 PROBLEM critical -> ann",
      "3 CUSTOM critical -> ann",
      "4 ACKNOWLEDGEMENT critical -> ann",
      "62 PROBLEM critical -> ann",
      "122 PROBLEM critical -> bea",
    ],
  ],
  [
    "[NO15] downtimes are told by their first start and last end, or that they were cancelled",
    {},
    (d) => {
      d.downtime(0, 10, 20);
      d.downtime(0, 15, 30, "d2");
      d.until(40);
      d.downtime(50, 50, 90, "d3");
      d.deleteDowntime(60, "d3");
    },
    [
      "10 DOWNTIME_START pending -> ann",
      "30 DOWNTIME_END pending -> ann",
      "50 DOWNTIME_START pending -> ann",
      "60 DOWNTIME_CANCELLED pending -> ann",
    ],
  ],
  [
    "[NO15] a downtime silences custom words, acknowledgements and problems",
    {},
    (d) => {
      d.downtime(0, 0, 100);
      d.hard(2, "critical");
      d.custom(3);
      d.acknowledge(4, { notify: true });
      d.unacknowledge(5);
    },
    ["0 DOWNTIME_START pending -> ann"],
  ],
  [
    "[NO16] flapping is told, and silences problems and recoveries until it stops; then a recovery at once",
    {},
    (d) => {
      d.result(0, "ok");
      d.hard(2, "critical");
      d.result(3, "ok");
      d.result(4, "critical");
      d.result(5, "ok");
      d.result(6, "critical");
      for (let n = 7; n < 30; n += 1) d.result(n, "ok");
    },
    ["2 PROBLEM critical -> ann", "3 RECOVERY ok -> ann", "5 FLAPPING_START ok -> ann", "18 FLAPPING_STOP ok -> ann"],
  ],
  [
    "[NO16] a problem that flapping hid is told with the next result after it",
    {},
    (d) => {
      d.result(0, "ok");
      flap(d, 1, 4);
      for (let n = 5; n < 30; n += 1) d.result(n, "critical");
      d.result(30, "ok");
    },
    [
      "4 FLAPPING_START ok -> ann",
      "15 FLAPPING_STOP critical -> ann",
      "16 PROBLEM critical -> ann",
      "30 RECOVERY ok -> ann",
    ],
  ],
  [
    "[NO16] or on the same result, where the configuration wants it",
    { plan: { ...twoAttemptService, flap: { ...twoAttemptService.flap, notifyOnFlapStop: true } } },
    (d) => {
      d.result(0, "ok");
      flap(d, 1, 4);
      for (let n = 5; n < 20; n += 1) d.result(n, "critical");
    },
    ["4 FLAPPING_START ok -> ann", "15 FLAPPING_STOP critical -> ann", "15 PROBLEM critical -> ann"],
  ],
  [
    "[NO16] flapping that starts and stops in a downtime is not told",
    {},
    (d) => {
      d.downtime(0, 0, 100);
      d.result(0, "ok");
      flap(d, 1, 4);
      for (let n = 5; n < 40; n += 1) d.result(n, "ok");
      d.until(110);
    },
    ["0 DOWNTIME_START pending -> ann", "100 DOWNTIME_END ok -> ann"],
  ],
];
for (const [rule, world, happens, sent] of stories) test(rule, () => assert.deepEqual(sentDuring(world, happens), sent));
