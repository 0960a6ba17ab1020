import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { NotificationKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { DeliveryState } from "@realmwatch/proto/svc/v1/query_pb";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { brokenService, explainRow, explainScreen, timeToday, webService } from "./explain.fixture.ts";
import { explainReason } from "./explain-reason.ts";
import { remedyFor } from "./explain-remedy.ts";

test("a notification whose time has passed is explained as suppressed", () => {
  const notification = { level: 0, sentAtLevel: 1, last: timeToday("16:00:00"), next: timeToday("16:30:00") };
  assert.ok(
    explainRow({ ...brokenService, notification }).includes("Next notification: suppressed since 2026-03-28 16:30:00."),
  );
});

test("[NO25, PA43] each delivery is explained: queued, delivered, failing or given up", () => {
  const delivery = (contact: string, state: DeliveryState, attempts: number, error = "") => ({
    ...{ contact, kind: NotificationKind.PROBLEM, state, since: timeToday("16:00:00"), attempts, error },
  });
  const deliveries = [
    delivery("ann", DeliveryState.QUEUED, 0),
    delivery("bea", DeliveryState.DELIVERED, 2, "timeout"),
    delivery("cat", DeliveryState.FAILING, 12, "connection refused"),
    delivery("dan", DeliveryState.GAVE_UP, 1, "answered 404"),
    { ...delivery("eve", DeliveryState.DELIVERED, 1), possibleDuplicate: true },
  ];
  const notification = {
    level: 0,
    sentAtLevel: 1,
    last: timeToday("16:00:00"),
    because: { reason: "decided" },
    deliveries,
  };
  assert.deepEqual(explainRow({ ...brokenService, notification }).slice(1, -1), [
    "Escalation level 0: 1 notification decided at this level; last at 2026-03-28 16:00:00 (60m ago).",
    "PROBLEM to ann: queued since 2026-03-28 16:00:00 (60m ago)",
    "PROBLEM to bea: delivered at 2026-03-28 16:00:00 (60m ago)",
    "PROBLEM to cat: not delivered, failing since 2026-03-28 16:00:00 (60m ago), 12 attempts: connection refused",
    "PROBLEM to dan: not delivered, given up at 2026-03-28 16:00:00 (60m ago), 1 attempt: answered 404",
    "PROBLEM to eve: delivered at 2026-03-28 16:00:00 (60m ago), a possible duplicate",
    "No further notification is scheduled: the escalation level does not repeat them (rule NO7).",
    "For another one: the status has to change, the problem to end, or the configuration to set `renotify_interval`.",
  ]);
});

test("[NO25] a reason that is over is named as such, and an object that is well has no escalation level", () => {
  const progress = { level: 0, sentAtLevel: 1, last: timeToday("16:00:00"), next: timeToday("18:00:00") };
  for (const reason of ["acknowledged", "downtime", "object_off", "program_off", "soft"]) {
    const sentences = explainRow({ ...brokenService, notification: { ...progress, because: { reason } } }).join("\n");
    assert.match(sentences, /was suppressed: .*\. That does not apply any more\./, reason);
    assert.match(sentences, /Next notification: 2026-03-28 18:00:00/, reason);
    assert.doesNotMatch(sentences, /_/, reason);
  }
  const well = explainRow({
    object: webService,
    status: Status.OK,
    notification: { because: { reason: "problem_not_notified" } },
  });
  assert.deepEqual(well.slice(1, -1), [
    "The object has no problem, so there is nothing to notify.",
    "About the end of its last problem: no recipient was notified of the problem, so its end is not notified (rule NO14).",
  ]);
  assert.doesNotMatch(explainRow({ object: webService, status: Status.OK, notification: {} }).join("\n"), /level|sent/);
});

test("[NO25] a delivery about an earlier problem is not that of the present one, and its time is not the last one", () => {
  const delivered = (kind: NotificationKind, contact: string) => ({
    ...{ contact, kind, state: DeliveryState.DELIVERED, since: timeToday("16:00:00"), attempts: 1 },
  });
  const deliveries = [delivered(NotificationKind.RECOVERY, "ann"), delivered(NotificationKind.CUSTOM, "bea")];
  const because = { reason: "host_check_awaited", until: timeToday("17:00:10") };
  const notification = { level: 0, sentAtLevel: 0, last: timeToday("16:00:00"), because, deliveries };
  assert.deepEqual(explainRow({ ...brokenService, notification }).slice(1, -1), [
    "Escalation level 0: no notification of this problem decided yet.",
    "About an earlier problem: RECOVERY to ann: delivered at 2026-03-28 16:00:00 (60m ago)",
    "CUSTOM to bea: delivered at 2026-03-28 16:00:00 (60m ago)",
    "Suppressed: waiting for a check of its host, which may be the cause, until 2026-03-28 17:00:10 (rule NO6).",
    "For a notification: a check of the host has to end, or its timeout to pass.",
  ]);
});

test("[NO25] an object that is well has no reason that is over, and one without a policy no escalation level", () => {
  const well = (reason: string, row: { readonly flapping?: boolean } = {}) =>
    explainRow({
      object: webService,
      status: Status.OK,
      flapping: false,
      ...row,
      notification: { because: { reason } },
    });
  for (const reason of ["flapping", "downtime"])
    assert.deepEqual(well(reason).slice(1, -1), ["The object has no problem, so there is nothing to notify."], reason);
  assert.match(well("flapping", { flapping: true }).join("\n"), /About the end of its last problem: .*\(rule NO16\)\./);
  const unrouted = explainRow({ ...brokenService, notification: { because: { reason: "no_policy" } } });
  assert.equal(unrouted[1], "Suppressed: no notification policy applies to this object (rule NO1).");
});

test("[NO25] a reason that continues after its cause says so", () => {
  const reasonOf = (reason: string, row: { readonly flapping?: boolean; readonly suppressedBy?: string[] }) =>
    explainRow({ ...brokenService, ...row, notification: { because: { reason, name: "web1" } } })[2];
  assert.equal(reasonOf("host_down", { suppressedBy: ["web1"] }), 'Suppressed: its host "web1" is down (rule NO5).');
  assert.equal(
    reasonOf("host_down", {}),
    'Suppressed: its host "web1" recovered after the last result of the service (rule NO5).',
  );
  assert.match(reasonOf("flapping", { flapping: true }) ?? "", /suppressed while flapping/);
  assert.equal(
    reasonOf("flapping", { flapping: false }),
    "Suppressed: flapping has ended, and the next result is awaited (rule NO16).",
  );
});

test("[NO25] what is true now decides about the next notification", () => {
  const progress = { level: 0, sentAtLevel: 1, last: timeToday("16:00:00"), next: timeToday("18:00:00") };
  const now: [row: Partial<typeof brokenService>, condition: string][] = [
    [{}, "unless suppressed (rule NO7)"],
    [{ notificationsEnabled: false }, "but suppressed while notifications are disabled for the object (rule NO20)"],
    [{ acknowledgement: { author: "ann" } }, "but suppressed while the problem is acknowledged (rule NO17)"],
    [{ flapping: true }, "but suppressed while the object is flapping (rule NO16)"],
    [{ inDowntime: true }, "but suppressed while it is in downtime (rule NO18)"],
  ];
  for (const [row, condition] of now) {
    const sentences = explainRow({
      ...brokenService,
      ...row,
      notification: { ...progress, because: { reason: "decided" } },
    });
    assert.ok(sentences.includes(`Next notification: 2026-03-28 18:00:00, ${condition}.`), condition);
  }
});

test("[NO25] each reason of a suppression names a rule of the documentation and what has to change", () => {
  const pages = ["notifications", "delivery"].map((page) => `../../../../docs/rules/${page}.md`);
  const rules = pages.map((page) => readFileSync(new URL(page, import.meta.url), "utf8")).join("\n");
  for (const reason of notificationReasons) {
    if (reason === "decided") continue;
    const remedy = remedyFor(reason);
    assert.ok(remedy !== undefined && rules.includes(`**[${remedy.rule}]**`), reason);
  }
});

test("each reason has an explanation of its own; one of a newer server is printed as it is", () => {
  const texts = notificationReasons.map((reason) =>
    explainReason({ $typeName: "svc.v1.Because", reason, name: "x" }, explainScreen),
  );
  assert.equal(new Set(texts).size, notificationReasons.length);
  for (const [at, reason] of notificationReasons.entries()) assert.ok(!texts[at]?.includes("_"), reason);
  assert.equal(
    explainReason({ $typeName: "svc.v1.Because", reason: "moon", name: "full" }, explainScreen),
    'moon "full"',
  );
});
