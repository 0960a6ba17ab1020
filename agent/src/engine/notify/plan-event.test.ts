import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServicePlan } from "@realmwatch/shared/config/plan";
import {
  escalationLevel,
  type NotificationCase,
  type NotificationScenario,
  sentDuring,
  twoAttemptService,
} from "./scenario.fixture.ts";

const flap = (s: NotificationScenario, from: number, times: number): void => {
  for (let n = 0; n < times; n += 1) s.result(from + n, n % 2 === 0 ? "critical" : "ok");
};

/** A service whose problems are hard at once and which flaps with the second change in a row. */
const quicklyFlapping = (notifyOnFlapStop: boolean): ServicePlan => ({
  ...twoAttemptService,
  schedule: { ...twoAttemptService.schedule, maxAttempts: 1 },
  flap: { ...twoAttemptService.flap, alpha: 0.5, highThreshold: 0.6, lowThreshold: 0.2, notifyOnFlapStop },
});

const cases: readonly NotificationCase[] = [
  [
    "[NO15] acknowledgement and custom notifications go to the current level and do not count for the escalation",
    { levels: [escalationLevel("ann", { threshold: 2 }), escalationLevel("bea")] },
    (s) => {
      s.custom(0);
      s.hard(2, "critical");
      s.custom(3);
      s.acknowledge(4, { notify: true });
      s.unacknowledge(5);
      s.advanceTo(125);
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
    "[NO15] downtimes notify of their first start and last end, or of their cancellation",
    {},
    (s) => {
      s.downtime(0, 10, 20);
      s.downtime(0, 15, 30, "d2");
      s.advanceTo(40);
      s.downtime(50, 50, 90, "d3");
      s.deleteDowntime(60, "d3");
    },
    [
      "10 DOWNTIME_START pending -> ann",
      "30 DOWNTIME_END pending -> ann",
      "50 DOWNTIME_START pending -> ann",
      "60 DOWNTIME_CANCELLED pending -> ann",
    ],
  ],
  [
    "[NO15] a downtime suppresses custom, acknowledgement and problem notifications",
    {},
    (s) => {
      s.downtime(0, 0, 100);
      s.hard(2, "critical");
      s.custom(3);
      s.acknowledge(4, { notify: true });
      s.unacknowledge(5);
    },
    ["0 DOWNTIME_START pending -> ann"],
  ],
  [
    "[NO16] flapping is notified and suppresses problems and recoveries until it stops; then a recovery is sent",
    {},
    (s) => {
      s.result(0, "ok");
      s.hard(2, "critical");
      s.result(3, "ok");
      s.result(4, "critical");
      s.result(5, "ok");
      s.result(6, "critical");
      for (let n = 7; n < 30; n += 1) s.result(n, "ok");
    },
    ["2 PROBLEM critical -> ann", "3 RECOVERY ok -> ann", "5 FLAPPING_START ok -> ann", "18 FLAPPING_STOP ok -> ann"],
  ],
  [
    "[NO16] a problem that flapping suppressed is notified with the next result after it",
    {},
    (s) => {
      s.result(0, "ok");
      flap(s, 1, 4);
      for (let n = 5; n < 30; n += 1) s.result(n, "critical");
      s.result(30, "ok");
    },
    [
      "4 FLAPPING_START ok -> ann",
      "15 FLAPPING_STOP critical -> ann",
      "16 PROBLEM critical -> ann",
      "30 RECOVERY ok -> ann",
    ],
  ],
  [
    "[NO16] with `notify_on_flap_stop` it is notified with the same result",
    { plan: { ...twoAttemptService, flap: { ...twoAttemptService.flap, notifyOnFlapStop: true } } },
    (s) => {
      s.result(0, "ok");
      flap(s, 1, 4);
      for (let n = 5; n < 20; n += 1) s.result(n, "critical");
    },
    ["4 FLAPPING_START ok -> ann", "15 FLAPPING_STOP critical -> ann", "15 PROBLEM critical -> ann"],
  ],
  [
    "[NO27] a problem after an ok result that began flapping is notified like a first one: with the next result",
    { plan: quicklyFlapping(false), levels: [escalationLevel("ann", { threshold: 1 }), escalationLevel("bea")] },
    (s) => {
      s.result(0, "ok");
      s.result(1, "critical");
      s.result(2, "ok");
      for (let n = 3; n < 10; n += 1) s.result(n, "critical");
      s.result(20, "ok");
    },
    [
      "1 PROBLEM critical -> ann",
      "2 FLAPPING_START ok -> bea",
      "6 FLAPPING_STOP critical -> bea",
      "7 PROBLEM critical -> bea",
      "20 RECOVERY ok -> ann bea",
    ],
  ],
  [
    "[NO27] with `notify_on_flap_stop` it is notified with the same result, of another status too",
    { plan: quicklyFlapping(true) },
    (s) => {
      s.result(0, "ok");
      s.result(1, "critical");
      s.result(2, "ok");
      for (let n = 3; n < 10; n += 1) s.result(n, "warning");
      s.result(20, "ok");
    },
    [
      "1 PROBLEM critical -> ann",
      "2 FLAPPING_START ok -> ann",
      "6 FLAPPING_STOP warning -> ann",
      "6 PROBLEM warning -> ann",
      "20 RECOVERY ok -> ann",
    ],
  ],
  [
    "[NO27] a restart in between does not lose it, and a downtime at the end of flapping defers it",
    { plan: quicklyFlapping(true) },
    (s) => {
      s.result(0, "ok");
      s.result(1, "critical");
      s.result(2, "ok");
      s.restart();
      s.downtime(3, 3, 30);
      for (let n = 3; n < 10; n += 1) s.result(n, "critical");
      s.advanceTo(40);
    },
    [
      "1 PROBLEM critical -> ann",
      "2 FLAPPING_START ok -> ann",
      "3 DOWNTIME_START ok -> ann",
      "30 DOWNTIME_END critical -> ann",
      "30 FLAPPING_STOP critical -> ann",
      "30 PROBLEM critical -> ann",
    ],
  ],
  [
    "[NO16] flapping that starts and stops in a downtime is not notified",
    {},
    (s) => {
      s.downtime(0, 0, 100);
      s.result(0, "ok");
      flap(s, 1, 4);
      for (let n = 5; n < 40; n += 1) s.result(n, "ok");
      s.advanceTo(110);
    },
    ["0 DOWNTIME_START pending -> ann", "100 DOWNTIME_END ok -> ann"],
  ],
  [
    "[NO24] a disabled start of flapping counts as notified: its end is sent",
    { levels: [escalationLevel("ann", { disabledKinds: ["FLAPPING_START"] })] },
    (s) => {
      s.result(0, "ok");
      flap(s, 1, 4);
      for (let n = 5; n < 20; n += 1) s.result(n, "ok");
    },
    ["12 FLAPPING_STOP ok -> ann"],
  ],
  [
    "[NO24] a disabled start of a downtime does not withhold its end, nor a disabled end the next start",
    { levels: [escalationLevel("ann", { disabledKinds: ["DOWNTIME_START"] }), escalationLevel("bea")] },
    (s) => {
      s.downtime(0, 1, 10, "d1");
      s.downtime(11, 20, 30, "d2");
      s.deleteDowntime(25, "d2");
      s.advanceTo(40);
    },
    ["10 DOWNTIME_END pending -> ann", "25 DOWNTIME_CANCELLED pending -> ann"],
  ],
  [
    "[NO24] a disabled PROBLEM does not withhold the RECOVERY, from the contacts that it would have reached",
    {
      levels: [escalationLevel("ann bea cat", { disabledKinds: ["PROBLEM"] })],
      periods: { day: [[100, 200]] },
      contactPeriods: { cat: "day" },
    },
    (s) => {
      s.contact(0, "bea", false);
      s.hard(2, "critical");
      s.contact(3, "bea", true);
      s.result(4, "ok");
      s.advanceTo(150);
    },
    ["4 RECOVERY ok -> ann"],
  ],
  [
    "[NO24] with PROBLEM and RECOVERY disabled nothing is sent, and the next problem starts anew",
    { levels: [escalationLevel("ann", { disabledKinds: ["PROBLEM", "RECOVERY"] })] },
    (s) => {
      s.hard(2, "critical");
      s.result(4, "ok");
      s.hard(6, "warning");
      s.result(7, "critical");
    },
    ["7 STATUS_CHANGE critical -> ann"],
  ],
];
for (const [rule, options, actions, sent] of cases)
  test(rule, () => assert.deepEqual(sentDuring(options, actions), sent));
