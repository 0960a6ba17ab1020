import assert from "node:assert/strict";
import { test } from "node:test";
import { delivered } from "../../platform/outbound/delivery-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import { notificationAtMs, problemNotification, recoveryNotification } from "../notification.fixture.ts";
import { openTestDelivery, problemAbout, webhookContactPlan } from "./delivery.fixture.ts";

const recordIn = (sent: ContactMessage[]) => (message: ContactMessage) => {
  sent.push(message);
  return delivered;
};
const ids = (message: ContactMessage): string => message.notifications.map(({ id }) => id).join("+");

test("[DL4] a window makes one digest, problems first and grouped by host", async () => {
  const sent: ContactMessage[] = [];
  const { delivery, advance } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: recordIn(sent),
  });
  delivery.enqueue([
    recoveryNotification({ id: "old", problemId: "p0", key: { kind: "host", name: "a" } }),
    problemAbout("b", "n1"),
  ]);
  await advance(20_000);
  delivery.enqueue([
    problemAbout("c", "n2"),
    problemNotification({ id: "n3", key: { kind: "service", host: "b", name: "x" } }),
  ]);
  await advance(9_000);
  assert.equal(sent.length, 0);
  await advance(1_000);
  assert.deepEqual(sent.map(ids), ["n1+n3+n2+old"]);
  assert.match(sent[0]?.id ?? "", /^digest-[0-9a-f]{32}$/);
});

test("[DL4] a digest keeps the order of one object, also when it fails again", async () => {
  const sent: ContactMessage[] = [];
  const { delivery, advance } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: recordIn(sent),
  });
  delivery.enqueue([recoveryNotification({ id: "r0", problemId: "p0" }), problemNotification({ id: "n1" })]);
  await advance(30_000);
  assert.deepEqual(sent.map(ids), ["r0+n1"]);
});

test("[DL5] a problem and its recovery within one window cancel out", async () => {
  const { delivery, advance, outcomes, attempts } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: () => delivered,
  });
  const change = problemNotification({ id: "n1b", kind: "STATUS_CHANGE", number: 2, status: "warning" });
  delivery.enqueue([problemNotification(), change, recoveryNotification()]);
  await advance(30_000);
  assert.deepEqual(outcomes(), ["n1 cancelled", "n1b cancelled", "n2 cancelled"]);
  assert.deepEqual(attempts, []);
});

test("[DL5] a recipient that was notified of a problem before the window is notified of its recovery", async () => {
  const { delivery, advance, outcomes } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: () => delivered,
  });
  delivery.enqueue([problemNotification({ number: 2 }), recoveryNotification()]);
  await advance(30_000);
  assert.deepEqual(outcomes(), ["n1 delivered", "n2 delivered"]);
});

test("[DL6] after a restart a window goes on where it was", async () => {
  const sent: ContactMessage[] = [];
  const { delivery, advance } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: recordIn(sent),
  });
  delivery.enqueue([problemNotification({ id: "early", atMs: notificationAtMs - 25_000 }), problemAbout("b", "late")]);
  await advance(4_000);
  assert.equal(sent.length, 0);
  await advance(1_000);
  assert.deepEqual(sent.map(ids), ["early+late"]);
});

test("[DL6] a clock that was set back does not delay notifications beyond the window", async () => {
  const { delivery, advance, outcomes } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: () => delivered,
  });
  delivery.enqueue([problemNotification({ atMs: notificationAtMs + 86_400_000 })]);
  await advance(30_000);
  assert.deepEqual(outcomes(), ["n1 delivered"]);
});
