import assert from "node:assert/strict";
import { test } from "node:test";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { brokenService, explainRow, timeToday, webService } from "./explain.fixture.ts";

test("a problem without notification state is not explained as notified", () => {
  assert.deepEqual(explainRow(brokenService), [
    "web1!http is CRITICAL since 2026-03-28 15:00:00 (2h), hard after 3 attempts: connection refused",
    "No notification was decided as far as this server knows: the row has no notification state.",
    "Last checked 2026-03-28 16:59:30; next check 2026-03-28 17:00:30.",
  ]);
  assert.deepEqual(explainRow({ object: webService, status: Status.OK, checkPeriod: "office" }), [
    "web1!http is OK",
    "The object has no problem, so there is nothing to notify.",
    "Never checked; no check is scheduled, only within the timeperiod office.",
  ]);
});

test("everything that suppresses notifications is listed with its end", () => {
  const because = { reason: "acknowledged", name: "ann", until: timeToday("18:00:00") };
  const sentences = explainRow(
    {
      ...brokenService,
      stateType: StateType.SOFT,
      attempt: 2,
      notification: { level: 1, sentAtLevel: 1, last: timeToday("16:00:00"), next: timeToday("17:30:00"), because },
      acknowledgement: { author: "svc", onBehalfOf: "ann", comment: "on it", sticky: true, at: timeToday("16:10:00") },
      inDowntime: true,
      downtimes: [
        {
          id: "d1",
          author: "bea",
          comment: "disks",
          inEffect: true,
          start: timeToday("16:00:00"),
          end: timeToday("19:00:00"),
        },
        {
          id: "d2",
          kind: { case: "flexible", value: { activeUntil: timeToday("17:20:00") } },
          inEffect: true,
          end: timeToday("23:00:00"),
        },
        { id: "d3", start: timeToday("20:00:00"), end: timeToday("21:00:00"), inEffect: false },
      ],
      suppressedBy: ["web1"],
      flapping: true,
      flapValue: 0.42,
      notificationsEnabled: false,
      passiveChecksEnabled: true,
    },
    { ...allProgramTogglesOn, notifications: false },
  );
  assert.deepEqual(sentences.slice(0, -1), [
    "web1!http is CRITICAL since 2026-03-28 15:00:00 (2h), soft: attempt 2 of 3: connection refused",
    "Escalation level 1: 1 notification decided at this level; last at 2026-03-28 16:00:00 (60m ago).",
    'Suppressed: the problem is acknowledged by "ann", until 2026-03-28 18:00:00 (rule NO17).',
    "For a notification: the acknowledgement has to be removed or to expire, or the problem to end.",
    "Next notification: 2026-03-28 17:30:00, but suppressed while notifications are disabled for the whole realm (rule NO20).",
    "Acknowledged by ann (through svc) 2026-03-28 16:10:00, until recovery: on it",
    "In downtime until 2026-03-28 19:00:00: d1 by bea, disks",
    "In downtime until 2026-03-28 17:20:00: d2",
    "Downtime scheduled, 2026-03-28 20:00:00 to 2026-03-28 21:00:00: d3",
    "Suppressed by web1.",
    "Flapping: state change rate 42 %.",
    "Notifications disabled for this object.",
    "Notifications disabled for the whole realm.",
  ]);
});
