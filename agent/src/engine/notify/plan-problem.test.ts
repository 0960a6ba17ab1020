import assert from "node:assert/strict";
import { test } from "node:test";
import { day, type NotificationCase, sentDuring } from "./scenario.fixture.ts";

const lookedAt = (lastAtMs: number | undefined) => ({ lastAtMs, timeoutMs: 30_000 });
const behind = { hostDown: true, hostBlocked: true, blockedBy: ["web1"] };

const stories: readonly NotificationCase[] = [
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
      d.around(0, { ...behind });
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
      d.around(0, { hostCheck: lookedAt(600 * 60_000) });
      d.hard(2, "critical");
      d.around(2.1, { hostCheck: lookedAt(122_000) });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] a problem waits for one look at the host, and goes once the host is found well",
    {},
    (d) => {
      d.around(0, { hostCheck: lookedAt(0) });
      d.hard(2, "critical");
      d.around(2.1, { hostCheck: lookedAt(122_000) });
    },
    ["2.1 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] it waits no longer than the host's timeout",
    {},
    (d) => {
      d.around(0, { hostCheck: lookedAt(undefined) });
      d.hard(2, "critical");
      d.until(4);
    },
    ["2.5 PROBLEM critical -> ann"],
  ],
  [
    "[NO6] where the host turns out to be down it is the host's problem",
    {},
    (d) => {
      d.around(0, { hostCheck: lookedAt(0) });
      d.hard(2, "critical");
      d.around(2.1, {
        ...behind,
        hostCheck: lookedAt(122_000),
      });
      d.until(60);
    },
    [],
  ],
];
for (const [rule, world, happens, sent] of stories) test(rule, () => assert.deepEqual(sentDuring(world, happens), sent));

test("[NO6] the look at the host is asked for once", () => {
  const d = day({});
  d.around(0, { hostCheck: { lastAtMs: 0, timeoutMs: 600_000 } });
  d.hard(2, "critical");
  d.result(3, "critical");
  assert.equal(d.asked.filter((kind) => kind === "await_host").length, 1);
});
