import assert from "node:assert/strict";
import { test } from "node:test";
import { escalationLevel, type NotificationCase, sentDuring, twoAttemptService } from "./scenario.fixture.ts";

const cases: readonly NotificationCase[] = [
  [
    "[NO7] a lasting problem is notified again after the interval, without a result",
    {},
    (s) => {
      s.hard(2, "critical");
      s.advanceTo(130);
      s.result(140, "ok");
      s.advanceTo(400);
    },
    [
      "2 PROBLEM critical -> ann",
      "62 PROBLEM critical -> ann",
      "122 PROBLEM critical -> ann",
      "140 RECOVERY ok -> ann",
    ],
  ],
  [
    "[NO7] with an interval of zero a problem is not notified again",
    { levels: [escalationLevel("ann", { renotifyIntervalMs: 0 })] },
    (s) => {
      s.hard(2, "critical");
      s.advanceTo(100_000);
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO22] setting the clock forward or back does not move a renotification",
    {},
    (s) => {
      s.hard(2, "critical");
      s.clockJump(10, 300);
      s.clockJump(330, -200);
      s.advanceTo(170);
    },
    ["2 PROBLEM critical -> ann", "162 PROBLEM critical -> ann"],
  ],
  [
    "[NO8] a disabled kind is not sent and does not advance the escalation",
    { levels: [escalationLevel("ann", { threshold: 1, disabledKinds: ["PROBLEM"] }), escalationLevel("bea")] },
    (s) => {
      s.hard(2, "warning");
      s.advanceTo(200);
      s.result(201, "critical");
      s.result(202, "ok");
    },
    ["201 STATUS_CHANGE critical -> ann", "202 RECOVERY ok -> ann"],
  ],
  [
    "[NO8] status changes of a disabled kind do not delay a renotification",
    {
      levels: [escalationLevel("ann", { disabledKinds: ["STATUS_CHANGE"] })],
      plan: { ...twoAttemptService, flap: { ...twoAttemptService.flap, enabled: false } },
    },
    (s) => {
      s.hard(2, "warning");
      for (let minute = 20; minute < 140; minute += 40) {
        s.result(minute, "critical");
        s.result(minute + 20, "warning");
      }
      s.advanceTo(130);
    },
    ["2 PROBLEM warning -> ann", "62 PROBLEM critical -> ann", "122 PROBLEM warning -> ann"],
  ],
  [
    "[NO11] a level advances at its threshold, and the interval is that of the level that notified last",
    {
      levels: [
        escalationLevel("ann", { threshold: 2 }),
        escalationLevel("bea", { threshold: 1, renotifyIntervalMs: 30 * 60_000 }),
        escalationLevel("cat", { renotifyIntervalMs: 240 * 60_000 }),
      ],
    },
    (s) => {
      s.hard(2, "critical");
      s.advanceTo(700);
    },
    [
      "2 PROBLEM critical -> ann",
      "62 PROBLEM critical -> ann",
      "122 PROBLEM critical -> bea",
      "152 PROBLEM critical -> cat",
      "392 PROBLEM critical -> cat",
      "632 PROBLEM critical -> cat",
    ],
  ],
  [
    "[NO11] a status change is sent at once, keeps the level and restarts the interval",
    { levels: [escalationLevel("ann", { threshold: 2 }), escalationLevel("bea")] },
    (s) => {
      s.hard(2, "warning");
      s.result(30, "critical");
      s.advanceTo(95);
    },
    ["2 PROBLEM warning -> ann", "30 STATUS_CHANGE critical -> ann", "90 PROBLEM critical -> bea"],
  ],
  [
    "[NO7] a problem whose policy is removed and replaced is notified again by the new one",
    {},
    (s) => {
      s.hard(2, "critical");
      s.reload(10, undefined);
      s.advanceTo(100);
      s.reload(110, { period: "", levels: [escalationLevel("bea")] });
      s.advanceTo(180);
    },
    ["2 PROBLEM critical -> ann", "110 PROBLEM critical -> bea", "170 PROBLEM critical -> bea"],
  ],
];
for (const [rule, options, actions, sent] of cases)
  test(rule, () => assert.deepEqual(sentDuring(options, actions), sent));
