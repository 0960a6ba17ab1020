import assert from "node:assert/strict";
import { test } from "node:test";
import { delivered, reject, retry } from "../../platform/outbound/delivery-result.ts";
import { notificationAtMs, problemNotification, recoveryNotification } from "../notification.fixture.ts";
import { openTestDelivery, runImmediates, webhookContactPlan } from "./delivery.fixture.ts";

const minuteMs = 60_000;
const ann = (groupWaitMs = 0) => ({
  ...webhookContactPlan("ann", groupWaitMs),
  fallback: { contact: "bea", afterMs: 5 * minuteMs },
});
const refused = () => retry("connect", "connection refused");
const open = (more: Partial<Parameters<typeof openTestDelivery>[0]> = {}) =>
  openTestDelivery({ plans: [ann(), webhookContactPlan("bea")], send: refused, ...more });
const idsOf = (overdue: readonly { id: string }[]): string => overdue.map(({ id }) => id).join(" ");

test("[DL22] a notification that is not delivered within `fallback_after` is overdue, once, and is tried further", async () => {
  const { delivery, overdue, attempts, failedAttempts, advance } = open();
  delivery.enqueue([problemNotification()]);
  await advance(5 * minuteMs - 1);
  assert.equal(idsOf(overdue), "");
  await advance(1);
  assert.equal(idsOf(overdue), "n1");
  const before = attempts.length;
  await advance(20 * minuteMs);
  assert.equal(idsOf(overdue), "n1");
  assert.ok(attempts.length > before);
  assert.equal(failedAttempts.length, attempts.length);
  assert.equal(failedAttempts[0]?.detail, "connection refused");
});

test("[DL22] its end has the mark that the fallback was asked; one that is delivered in time has none", async () => {
  let works = false;
  const { delivery, overdue, ends, advance } = open({ send: () => (works ? delivered : refused()) });
  delivery.enqueue([problemNotification()]);
  await advance(6 * minuteMs);
  works = true;
  await advance(2 * minuteMs);
  delivery.enqueue([recoveryNotification({ atMs: notificationAtMs + 8 * minuteMs })]);
  await advance(20 * minuteMs);
  assert.deepEqual(
    ends.map(({ notification, outcome }) => [notification.id, outcome, notification.fallbackUsed ?? false]),
    [
      ["n1", "delivered", true],
      ["n2", "delivered", false],
    ],
  );
  assert.equal(idsOf(overdue), "n1");
});

test("[DL22] after a restart the time counts from the decision, and a marked notification is not overdue again", async () => {
  const { delivery, overdue, ends, advance } = open({ send: () => reject("refused", "404") });
  delivery.enqueue([problemNotification({ fallbackUsed: true })]);
  await runImmediates();
  assert.equal(ends[0]?.notification.fallbackUsed, true);
  const old = open();
  old.delivery.enqueue([problemNotification({ atMs: notificationAtMs - 4 * minuteMs })]);
  await old.advance(minuteMs);
  assert.equal(idsOf(old.overdue), "n1");
  await advance(10 * minuteMs);
  assert.equal(idsOf(overdue), "");
});

test("[DL22] later notifications about the same object are overdue together with the first one", async () => {
  const { delivery, overdue, advance } = open();
  const other = problemNotification({ id: "n3", key: { kind: "host", name: "db1" } });
  delivery.enqueue([problemNotification()]);
  await advance(4 * minuteMs);
  const atMs = notificationAtMs + 4 * minuteMs;
  delivery.enqueue([recoveryNotification({ atMs }), { ...other, atMs }]);
  await advance(minuteMs);
  assert.equal(idsOf(overdue), "n1 n2");
  await advance(4 * minuteMs);
  assert.equal(idsOf(overdue), "n1 n2 n3");
});

test("[DL22] the time begins after `group_wait`", async () => {
  const { delivery, overdue, advance } = open({ plans: [ann(2 * minuteMs), webhookContactPlan("bea")] });
  delivery.enqueue([problemNotification()]);
  await advance(7 * minuteMs - 1);
  assert.equal(idsOf(overdue), "");
  await advance(1);
  assert.equal(idsOf(overdue), "n1");
});

test("[DL22] a fallback that a reload adds or removes counts for pending notifications too", async () => {
  const { delivery, overdue, advance, reconfigure } = open({ plans: [webhookContactPlan("ann")] });
  delivery.enqueue([problemNotification()]);
  await advance(10 * minuteMs);
  assert.equal(idsOf(overdue), "");
  reconfigure([ann(), webhookContactPlan("bea")]);
  await advance(1);
  assert.equal(idsOf(overdue), "n1");
  const removed = open();
  removed.delivery.enqueue([problemNotification()]);
  removed.reconfigure([webhookContactPlan("ann")]);
  await removed.advance(10 * minuteMs);
  assert.equal(idsOf(removed.overdue), "");
});

test("[DL22] a wall clock that is set back does not delay the fallback beyond `fallback_after`", async () => {
  const { delivery, overdue, advance } = open();
  delivery.enqueue([problemNotification({ atMs: notificationAtMs + 60 * minuteMs })]);
  await advance(5 * minuteMs);
  assert.equal(idsOf(overdue), "n1");
});
