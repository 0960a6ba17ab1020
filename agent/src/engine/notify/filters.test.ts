import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServicePlan } from "@realmwatch/shared/config/plan";
import { httpService } from "../plans.fixture.ts";
import { failedDependency, notificationScenario, sentDuring } from "./scenario.fixture.ts";

test("[NO1] without a policy no notification is sent", () =>
  assert.deepEqual(
    sentDuring({ policy: undefined }, (s) => s.hard(2, "critical")),
    [],
  ));

test("[NO2] a suppressed notification is recorded once per reason", () => {
  const s = notificationScenario({});
  s.downtime(0, 0, 100);
  s.hard(2, "critical");
  for (let minute = 3; minute < 9; minute += 1) s.result(minute, "critical");
  s.notifications(10, false);
  s.result(11, "critical");
  assert.deepEqual(s.suppressed, ["2 PROBLEM downtime", "10 PROBLEM object_off"]);
});

test("[NO2] a status change that is undone and suppressed again is recorded again", () => {
  const s = notificationScenario({});
  s.hard(2, "critical");
  s.acknowledge(3, { sticky: true });
  for (const [minute, status] of [
    [4, "warning"],
    [5, "warning"],
    [6, "critical"],
    [7, "warning"],
  ] as const)
    s.result(minute, status);
  assert.deepEqual(s.suppressed, ["4 STATUS_CHANGE acknowledged", "7 STATUS_CHANGE acknowledged"]);
});

test("[NO2] flapping is no longer the reason once the problem that outlasted it is notified", () => {
  const flap = { ...httpService.flap, alpha: 0.5, highThreshold: 0.6, lowThreshold: 0.2 };
  const schedule = { ...httpService.schedule, maxAttempts: 1 };
  const s = notificationScenario({ plan: { ...httpService, schedule, flap } as ServicePlan });
  const reason = () => s.state.notificationState?.decision?.decision.reason;
  for (const [at, status] of (["ok", "critical", "ok", "critical", "critical"] as const).entries())
    s.result(at, status);
  assert.deepEqual([s.state.flap.flapping, reason()], [true, "flapping"]);
  for (let minute = 5; minute < 8; minute += 1) s.result(minute, "critical");
  assert.deepEqual([s.state.flap.flapping, reason()], [false, "decided"]);
  assert.deepEqual(s.sent, [
    "1 PROBLEM critical -> ann",
    "2 FLAPPING_START ok -> ann",
    "6 FLAPPING_STOP critical -> ann",
    "7 PROBLEM critical -> ann",
  ]);
});

test("[NO1] for a recovery without recipients, toggles, dependencies and flapping precede `problem_not_notified`", () => {
  const s = notificationScenario({});
  s.setDependency(0, { ...failedDependency, suppress: "all" });
  s.hard(2, "critical");
  s.result(3, "ok");
  s.setDependency(4, undefined);
  s.downtime(5, 5, 100);
  s.hard(30, "critical");
  s.result(31, "ok");
  s.program(60, false);
  s.hard(70, "critical");
  s.result(71, "ok");
  assert.deepEqual(
    s.suppressed.filter((line) => line.includes("RECOVERY")),
    ["3 RECOVERY dependency", "31 RECOVERY problem_not_notified", "71 RECOVERY program_off"],
  );
});

test("[NO1] the first filter that suppresses gives the reason", () => {
  const s = notificationScenario({});
  s.downtime(0, 0, 100);
  s.program(1, false);
  s.notifications(1, false);
  s.hard(3, "critical");
  s.program(4, true);
  s.acknowledge(5);
  s.notifications(6, true);
  s.unacknowledge(7);
  s.setDependency(8, failedDependency);
  s.setDependency(9, undefined);
  assert.deepEqual(
    s.suppressed.filter((line) => line.includes("PROBLEM")),
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
