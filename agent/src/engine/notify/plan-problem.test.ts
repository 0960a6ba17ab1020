import assert from "node:assert/strict";
import { test } from "node:test";
import { type NotificationCase, notificationScenario, sentDuring } from "./scenario.fixture.ts";

const lookedAt = (lastAtMs: number | undefined) => ({ lastAtMs, timeoutMs: 30_000 });
const behind = { hostDown: true, hostBlocked: true, blockedBy: ["web1"] };

const cases: readonly NotificationCase[] = [
  [
    "[NO3] a soft problem is nobody's business, and neither is the first good result",
    {},
    (s) => {
      s.result(0, "ok");
      s.result(1, "critical");
      s.result(2, "ok");
    },
    [],
  ],
  [
    "[NO4] a confirmed problem, another one and the recovery",
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
    "[NO4] what was unreachable is told once it turns out to be down itself",
    {},
    (s) => {
      s.hard(2, "unreachable");
      s.result(3, "critical");
    },
    ["3 PROBLEM critical -> ann"],
  ],
  [
    "[NO5] behind a host that is down nobody is told, nor after it by a result from before",
    {},
    (s) => {
      s.changeContext(0, { ...behind });
      s.result(1, "critical");
      s.changeContext(2, { hostDown: false, hostBlocked: false, blockedBy: [], reachableSinceMs: 120_000 });
      s.result(3, "critical");
      s.result(4, "ok");
    },
    ["3 PROBLEM critical -> ann", "4 RECOVERY ok -> ann"],
  ],
  [
    "[NO5, RE6] a clock that was set back since the host came back holds up nothing that is found after it",
    {},
    (s) => {
      s.changeContext(0, { reachableSinceMs: 600 * 60_000 });
      s.hard(2, "critical");
    },
    ["2 PROBLEM critical -> ann"],
  ],
  [
    "[NO6, RE6] a host's result from before the clock was set back does for no problem that was found after it",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: lookedAt(600 * 60_000) });
      s.hard(2, "critical");
      s.changeContext(2.1, { hostCheck: lookedAt(122_000) });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] a problem waits for one look at the host, and goes once the host is found well",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: lookedAt(0) });
      s.hard(2, "critical");
      s.changeContext(2.1, { hostCheck: lookedAt(122_000) });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] it waits no longer than the host's timeout",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: lookedAt(undefined) });
      s.hard(2, "critical");
      s.advanceTo(4);
    },
    ["2.5 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] where the host turns out to be down it is the host's problem",
    {},
    (s) => {
      s.changeContext(0, { hostCheck: lookedAt(0) });
      s.hard(2, "critical");
      s.changeContext(2.1, {
        ...behind,
        hostCheck: lookedAt(122_000),
      });
      s.advanceTo(60);
    },
    [],
  ],
];
for (const [rule, options, actions, sent] of cases)
  test(rule, () => assert.deepEqual(sentDuring(options, actions), sent));

test("[NO6] the look at the host is asked for once", () => {
  const s = notificationScenario({});
  s.changeContext(0, { hostCheck: { lastAtMs: 0, timeoutMs: 600_000 } });
  s.hard(2, "critical");
  s.result(3, "critical");
  assert.equal(s.followUps.filter((kind) => kind === "await_host").length, 1);
});
