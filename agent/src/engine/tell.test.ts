import assert from "node:assert/strict";
import { test } from "node:test";
import { day, level, service } from "./tell.fixture.ts";

type Day = ReturnType<typeof day>;
type Story = readonly [
  rule: string,
  world: Parameters<typeof day>[0],
  happens: (day: Day) => void,
  sent: readonly string[],
];

const failed = { name: "uplink", suppress: "problems", untilMs: undefined } as const;
const flap = (d: Day, from: number, times: number): void => {
  for (let n = 0; n < times; n += 1) d.result(from + n, n % 2 === 0 ? "critical" : "ok");
};

const stories: readonly Story[] = [
  [
    "[NO3] a soft problem is nobody's business, and neither is the first good result",
    {},
    (d) => {
      d.result(0, "ok");
      d.result(1, "critical");
      d.result(2, "ok");
    },
    [],
  ],
  [
    "[NO4] a confirmed problem, another one and the recovery",
    {},
    (d) => {
      d.hard(2, "warning");
      d.result(3, "critical");
      d.result(4, "critical");
      d.result(5, "ok");
    },
    ["2 PROBLEM warning -> ann", "3 STATUS_CHANGE critical -> ann", "5 RECOVERY ok -> ann"],
  ],
  [
    "[NO4] what was unreachable is told once it turns out to be down itself",
    {},
    (d) => {
      d.hard(2, "unreachable");
      d.result(3, "critical");
    },
    ["3 PROBLEM critical -> ann"],
  ],
  [
    "[NO5] behind a host that is down nobody is told, nor after it by a result from before",
    {},
    (d) => {
      d.around(0, { hostDown: true, hostBlocked: true, blockedBy: ["web1"] });
      d.result(1, "critical");
      d.around(2, { hostDown: false, hostBlocked: false, blockedBy: [], reachableSinceMs: 120_000 });
      d.result(3, "critical");
      d.result(4, "ok");
    },
    ["3 PROBLEM critical -> ann", "4 RECOVERY ok -> ann"],
  ],
  [
    "[NO5, RE6] a clock that was set back since the host came back holds up nothing that is found after it",
    {},
    (d) => {
      d.around(0, { reachableSinceMs: 600 * 60_000 });
      d.hard(2, "critical");
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO6, RE6] a host's result from before the clock was set back does for no problem that was found after it",
    {},
    (d) => {
      d.around(0, { hostCheck: { lastAtMs: 600 * 60_000, timeoutMs: 30_000 } });
      d.hard(2, "critical");
      d.around(2.1, { hostCheck: { lastAtMs: 122_000, timeoutMs: 30_000 } });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] a problem waits for one look at the host, and goes once the host is found well",
    {},
    (d) => {
      d.around(0, { hostCheck: { lastAtMs: 0, timeoutMs: 30_000 } });
      d.hard(2, "critical");
      d.around(2.1, { hostCheck: { lastAtMs: 122_000, timeoutMs: 30_000 } });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] it waits no longer than the host's timeout",
    {},
    (d) => {
      d.around(0, { hostCheck: { lastAtMs: undefined, timeoutMs: 30_000 } });
      d.hard(2, "critical");
      d.until(4);
    },
    ["2.5 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] where the host turns out to be down it is the host's problem",
    {},
    (d) => {
      d.around(0, { hostCheck: { lastAtMs: 0, timeoutMs: 30_000 } });
      d.hard(2, "critical");
      d.around(2.1, {
        hostDown: true,
        hostBlocked: true,
        blockedBy: ["web1"],
        hostCheck: { lastAtMs: 122_000, timeoutMs: 30_000 },
      });
      d.until(60);
    },
    [],
  ],
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
    { levels: [level("ann", { renotifyIntervalMs: 0 })] },
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
    { levels: [level("ann", { threshold: 1, disabledKinds: ["PROBLEM"] }), level("bea")] },
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
      levels: [level("ann", { disabledKinds: ["STATUS_CHANGE"] })],
      plan: { ...service, flap: { ...service.flap, enabled: false } },
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
    "[NO9] where nobody is reached nothing is counted, and it goes out at the next chance",
    {
      levels: [level("ann", { threshold: 1 }), level("bea")],
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
    "[NO11] levels advance after so many messages, and the gap is that of the level that has just told",
    {
      levels: [
        level("ann", { threshold: 2 }),
        level("bea", { threshold: 1, renotifyIntervalMs: 30 * 60_000 }),
        level("cat", { renotifyIntervalMs: 240 * 60_000 }),
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
    { levels: [level("ann", { threshold: 2 }), level("bea")] },
    (d) => {
      d.hard(2, "warning");
      d.result(30, "critical");
      d.until(95);
    },
    ["2 PROBLEM warning -> ann", "30 STATUS_CHANGE critical -> ann", "90 PROBLEM critical -> bea"],
  ],
  [
    "[NO12] a contact that is off is left out, one that is named twice is told once",
    { levels: [level("ann bea ann")] },
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
      levels: [level("ann bea")],
      contactPeriods: { bea: "day" },
      periods: {
        day: [
          [10, 20],
          [40, 50],
        ],
      },
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
    { levels: [level("ann", { threshold: 1 }), level("bea", { threshold: 1 }), level("cat")] },
    (d) => {
      d.hard(2, "critical");
      d.until(100);
      d.result(101, "ok");
    },
    ["2 PROBLEM critical -> ann", "62 PROBLEM critical -> bea", "101 RECOVERY ok -> ann bea"],
  ],
  [
    "[NO14] after it the next problem begins at the first level",
    { levels: [level("ann", { threshold: 1 }), level("bea")] },
    (d) => {
      d.hard(2, "critical");
      d.result(3, "ok");
      d.hard(5, "critical");
    },
    ["2 PROBLEM critical -> ann", "3 RECOVERY ok -> ann", "5 PROBLEM critical -> ann"],
  ],
  [
    "[NO15] an acknowledgement and a custom word go to the current level and count for nothing",
    { levels: [level("ann", { threshold: 2 }), level("bea")] },
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
    { plan: { ...service, flap: { ...service.flap, notifyOnFlapStop: true } } },
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
    { levels: [level("ann", { threshold: 1 }), level("boss", { renotifyIntervalMs: 0 })] },
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
      policy: { period: "day", levels: [level("ann")] },
      periods: {
        day: [
          [10, 20],
          [40, 50],
        ],
      },
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
      levels: [level("ann", { threshold: 1 }), level("bea", { threshold: 1, period: "day" }), level("cat")],
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
      d.depends(3, failed);
      d.result(4, "critical");
      d.result(5, "ok");
    },
    ["2 PROBLEM warning -> ann", "5 RECOVERY ok -> ann"],
  ],
  [
    "[NO21] `suppress: all` withholds everything; once it clears, what holds is told at once",
    {},
    (d) => {
      d.depends(0, { ...failed, suppress: "all" });
      d.hard(2, "critical");
      d.depends(3, undefined);
      d.depends(4, { ...failed, suppress: "all" });
      d.result(5, "ok");
      d.depends(6, undefined);
    },
    ["3 PROBLEM critical -> ann", "6 RECOVERY ok -> ann"],
  ],
  [
    "[NO7] a problem whose policy is taken away and given another one is told again by that",
    {},
    (d) => {
      d.hard(2, "critical");
      d.reload(10, undefined);
      d.until(100);
      d.reload(110, { period: "", levels: [level("bea")] });
      d.until(180);
    },
    ["2 PROBLEM critical -> ann", "110 PROBLEM critical -> bea", "170 PROBLEM critical -> bea"],
  ],
  ["[NO1] without a policy nobody is told", { policy: undefined }, (d) => d.hard(2, "critical"), []],
];

for (const [rule, world, happens, sent] of stories)
  test(rule, () => {
    const d = day(world);
    happens(d);
    assert.deepEqual(d.sent, sent);
  });

test("[NO2] why nobody is told is noted once, until it is another reason", () => {
  const d = day({});
  d.downtime(0, 0, 100);
  d.hard(2, "critical");
  for (let minute = 3; minute < 9; minute += 1) d.result(minute, "critical");
  d.notifications(10, false);
  d.result(11, "critical");
  assert.deepEqual(d.withheld, ["2 PROBLEM downtime", "10 PROBLEM object_off"]);
});

test("[NO2] a change that is withheld again after it was undone is noted again", () => {
  const d = day({});
  d.hard(2, "critical");
  d.acknowledge(3, { sticky: true });
  for (const [minute, status] of [
    [4, "warning"],
    [5, "warning"],
    [6, "critical"],
    [7, "warning"],
  ] as const)
    d.result(minute, status);
  assert.deepEqual(d.withheld, ["4 STATUS_CHANGE acknowledged", "7 STATUS_CHANGE acknowledged"]);
});

test("[NO1] of a recovery that nobody would hear, switches, dependencies and flapping are named first", () => {
  const d = day({});
  d.depends(0, { ...failed, suppress: "all" });
  d.hard(2, "critical");
  d.result(3, "ok");
  d.depends(4, undefined);
  d.downtime(5, 5, 100);
  d.hard(30, "critical");
  d.result(31, "ok");
  d.program(60, false);
  d.hard(70, "critical");
  d.result(71, "ok");
  assert.deepEqual(
    d.withheld.filter((line) => line.includes("RECOVERY")),
    ["3 RECOVERY dependency", "31 RECOVERY nobody_told", "71 RECOVERY program_off"],
  );
});

test("[NO1] the first filter that hits is the reason", () => {
  const d = day({});
  d.downtime(0, 0, 100);
  d.program(1, false);
  d.notifications(1, false);
  d.hard(3, "critical");
  d.program(4, true);
  d.acknowledge(5);
  d.notifications(6, true);
  d.unacknowledge(7);
  d.depends(8, failed);
  d.depends(9, undefined);
  assert.deepEqual(
    d.withheld.filter((line) => line.includes("PROBLEM")),
    [
      "3 PROBLEM program_off",
      "4 PROBLEM object_off",
      "6 PROBLEM acknowledged",
      "7 PROBLEM downtime",
      "8 PROBLEM dependency",
      "9 PROBLEM downtime",
    ],
  );
});

test("[NO6] the look at the host is asked for once", () => {
  const d = day({});
  d.around(0, { hostCheck: { lastAtMs: 0, timeoutMs: 600_000 } });
  d.hard(2, "critical");
  d.result(3, "critical");
  assert.equal(d.asked.filter((kind) => kind === "await_host").length, 1);
});
