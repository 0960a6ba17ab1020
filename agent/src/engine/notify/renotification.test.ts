import assert from "node:assert/strict";
import { test } from "node:test";
import { escalationLevel, type NotificationCase, twoAttemptService, sentDuring } from "./scenario.fixture.ts";

const stories: readonly NotificationCase[] = [
  [
    "[NO7] a problem that lasts is told again by the clock, without a result",
    {},
    (d) => {
      d.hard(2, "critical");
      d.until(130);
      d.result(140, "ok");
      d.until(400);
    },
    [
      "2 PROBLEM critical -> ann",
      "62 PROBLEM critical -> ann",
      "122 PROBLEM critical -> ann",
      "140 RECOVERY ok -> ann",
    ],
  ],
  [
    "[NO7] an interval of zero never tells again, also where it would be longer than timers go",
    { levels: [escalationLevel("ann", { renotifyIntervalMs: 0 })] },
    (d) => {
      d.hard(2, "critical");
      d.until(100_000);
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO22] a clock that is set forward or back neither hastens nor delays a repetition",
    {},
    (d) => {
      d.hard(2, "critical");
      d.jump(10, 300);
      d.jump(330, -200);
      d.until(170);
    },
    ["2 PROBLEM critical -> ann", "162 PROBLEM critical -> ann"],
  ],
  [
    "[NO8] a kind that a level does not want is not told and moves nothing",
    { levels: [escalationLevel("ann", { threshold: 1, disabledKinds: ["PROBLEM"] }), escalationLevel("bea")] },
    (d) => {
      d.hard(2, "warning");
      d.until(200);
      d.result(201, "critical");
      d.result(202, "ok");
    },
    ["201 STATUS_CHANGE critical -> ann", "202 RECOVERY ok -> ann"],
  ],
  [
    "[NO8] a change that a level does not want puts off no repetition, however often it comes",
    {
      levels: [escalationLevel("ann", { disabledKinds: ["STATUS_CHANGE"] })],
      plan: { ...twoAttemptService, flap: { ...twoAttemptService.flap, enabled: false } },
    },
    (d) => {
      d.hard(2, "warning");
      for (let minute = 20; minute < 140; minute += 40) {
        d.result(minute, "critical");
        d.result(minute + 20, "warning");
      }
      d.until(130);
    },
    ["2 PROBLEM warning -> ann", "62 PROBLEM critical -> ann", "122 PROBLEM warning -> ann"],
  ],
  [
    "[NO11] levels advance after so many messages, and the gap is that of the level that has just told",
    {
      levels: [
        escalationLevel("ann", { threshold: 2 }),
        escalationLevel("bea", { threshold: 1, renotifyIntervalMs: 30 * 60_000 }),
        escalationLevel("cat", { renotifyIntervalMs: 240 * 60_000 }),
      ],
    },
    (d) => {
      d.hard(2, "critical");
      d.until(700);
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
    "[NO11] a change goes out at once, keeps the level and restarts the interval",
    { levels: [escalationLevel("ann", { threshold: 2 }), escalationLevel("bea")] },
    (d) => {
      d.hard(2, "warning");
      d.result(30, "critical");
      d.until(95);
    },
    ["2 PROBLEM warning -> ann", "30 STATUS_CHANGE critical -> ann", "90 PROBLEM critical -> bea"],
  ],
  [
    "[NO7] a problem whose policy is taken away and given another one is told again by that",
    {},
    (d) => {
      d.hard(2, "critical");
      d.reload(10, undefined);
      d.until(100);
      d.reload(110, { period: "", levels: [escalationLevel("bea")] });
      d.until(180);
    },
    ["2 PROBLEM critical -> ann", "110 PROBLEM critical -> bea", "170 PROBLEM critical -> bea"],
  ],
];
for (const [rule, world, happens, sent] of stories) test(rule, () => assert.deepEqual(sentDuring(world, happens), sent));
