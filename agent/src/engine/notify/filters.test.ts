import assert from "node:assert/strict";
import { test } from "node:test";
import { day, failedDependency, sentDuring } from "./scenario.fixture.ts";

test("[NO1] without a policy nobody is told", () =>
  assert.deepEqual(
    sentDuring({ policy: undefined }, (d) => d.hard(2, "critical")),
    [],
  ));

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
  d.depends(0, { ...failedDependency, suppress: "all" });
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
  d.depends(8, failedDependency);
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
