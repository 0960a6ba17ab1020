import assert from "node:assert/strict";
import { test } from "node:test";
import { type NotificationCase, notificationScenario, sentDuring } from "./scenario.fixture.ts";

const checkedAt = (lastAtMs: number | undefined) => ({ lastAtMs, timeoutMs: 30_000 });
const behind = { hostDown: true, blockedBy: ["web1"] };

const cases: readonly NotificationCase[] = [
  [
    "[NO3] soft problems and first ok results are not notified",
    {},
    (s) => {
      s.result(0, "ok");
      s.result(1, "critical");
      s.result(2, "ok");
    },
    [],
  ],
  [
    "[NO4] a hard problem, its change and its recovery are notified",
    {},
    (s) => {
      s.hard(2, "warning");
      s.result(3, "critical");
      s.result(4, "critical");
      s.result(5, "ok");
    },
    ["2 PROBLEM warning -> ann", "3 STATUS_CHANGE critical -> ann", "5 RECOVERY ok -> ann"],
  ],
  [
    "[NO4] an unreachable object is notified when it turns out to be down itself",
    {},
    (s) => {
      s.hard(2, "unreachable");
      s.result(3, "critical");
    },
    ["3 PROBLEM critical -> ann"],
  ],
  [
    "[NO5] a service is not notified while its host is down, nor later because of a result from before",
    {},
    (s) => {
      s.changeContext(0, { ...behind });
      s.result(1, "critical");
      s.changeContext(2, { hostDown: false, blockedBy: [], reachableSinceMs: 120_000 });
      s.result(3, "critical");
      s.result(4, "ok");
    },
    ["3 PROBLEM critical -> ann", "4 RECOVERY ok -> ann"],
  ],
  [
    "[NO5, RE6] a clock set back after the host's recovery does not suppress later problems",
    {},
    (s) => {
      s.changeContext(0, { reachableSinceMs: 600 * 60_000 });
      s.hard(2, "critical");
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO6, RE6] a host result from before the clock was set back does not count for a later problem",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: checkedAt(600 * 60_000) });
      s.hard(2, "critical");
      s.changeContext(2.1, { hostCheck: checkedAt(122_000) });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] a problem waits for one host check, and is notified when the host is up",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: checkedAt(0) });
      s.hard(2, "critical");
      s.changeContext(2.1, { hostCheck: checkedAt(122_000) });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] it waits no longer than the timeout of the host's check",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: checkedAt(undefined) });
      s.hard(2, "critical");
      s.advanceTo(4);
    },
    ["2.5 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] when the host is down the service is not notified",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: checkedAt(0) });
      s.hard(2, "critical");
      s.changeContext(2.1, {
        ...behind,
        hostCheck: checkedAt(122_000),
      });
      s.advanceTo(60);
    },
    [],
  ],
];
for (const [rule, options, actions, sent] of cases)
  test(rule, () => assert.deepEqual(sentDuring(options, actions), sent));

test("[NO6] the host check is requested once", () => {
  const s = notificationScenario({});
  s.changeContext(0, { hostCheck: { lastAtMs: 0, timeoutMs: 600_000 } });
  s.hard(2, "critical");
  s.result(3, "critical");
  assert.equal(s.followUps.filter((kind) => kind === "await_host").length, 1);
});
