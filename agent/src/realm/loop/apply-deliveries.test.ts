import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { host, openTestRealm, policyAll } from "../fixtures/test-realm.fixture.ts";
import { realmCatalog } from "../outputs/realm-catalog.ts";

const contact = (name: string, more: object = {}): [string, ContactPlan] => [
  name,
  { name, type: "email", labels: {}, notificationPeriod: "", address: "x", groupWaitMs: 0, ...more },
];
const fallsBackTo = (name: string) => ({ fallback: { contact: name, afterMs: 300_000 } });
const annFallsBackToBea = [contact("ann", fallsBackTo("bea")), contact("bea")];

const planWith = (contacts: readonly [string, ContactPlan][], names = "ann") =>
  realmPlan([host("web1")], { contacts: new Map(contacts), policies: policyAll(names) });

type TestRealm = Awaited<ReturnType<typeof openTestRealm>>;
async function openStarted(...options: Parameters<typeof openTestRealm>): Promise<TestRealm> {
  const realm = await openTestRealm(...options);
  realm.start();
  await realm.settle();
  return realm;
}
/** Each delivery as `contact KIND state attempts error`. */
const deliveriesOf = ({ rows }: TestRealm) =>
  (rows.get("web1")?.notification?.deliveries ?? []).map(({ contact: name, kind, state, attempts, error }) =>
    `${name} ${kind} ${state} ${attempts} ${error}`.trim(),
  );
/** Each record about notifications as `type contact KIND reason name`. */
const notificationRecordsOf = ({ history }: TestRealm) =>
  history
    .filter(({ type }) => type.startsWith("notification"))
    .map(({ type, contact: name = "", notificationKind, because }) =>
      [type, name, notificationKind, because?.reason, because?.name].filter(Boolean).join(" "),
    );
const contactOf = ({ realm }: TestRealm, name = "ann") =>
  realmCatalog(realm).contacts.find((one) => one.name === name) ?? assert.fail();
const last = ({ notifications }: TestRealm): Notification => notifications.at(-1) ?? assert.fail();

async function end(
  realm: TestRealm,
  notification: Notification,
  outcome: CompletedDelivery["outcome"],
  detail = "",
): Promise<void> {
  void realm.inputs.deliveriesEnded([{ notification, outcome, detail, attempted: true }]);
  await realm.settle();
}
async function fail(realm: TestRealm, notification: Notification, detail = "refused"): Promise<void> {
  realm.inputs.attemptsFailed([{ notification, detail }]);
  await realm.settle();
}
async function overdue(realm: TestRealm, ...notifications: readonly Notification[]): Promise<void> {
  realm.inputs.deliveriesOverdue(notifications);
  await realm.settle();
}

test("[NO23] history and row say that a notification was delivered only when it was", async () => {
  const realm = await openStarted(planWith([contact("ann")]));
  await realm.send("web1", "critical");
  assert.deepEqual(deliveriesOf(realm), ["ann PROBLEM queued 0"]);
  assert.deepEqual(notificationRecordsOf(realm), ["notification_queued ann PROBLEM decided"]);
  assert.deepEqual([contactOf(realm).queued, contactOf(realm).failingSinceMs], [1, undefined]);

  await fail(realm, last(realm));
  await fail(realm, last(realm), "timeout");
  assert.deepEqual(deliveriesOf(realm), ["ann PROBLEM failing 2 timeout"]);
  assert.equal(notificationRecordsOf(realm).length, 1);
  const { queued, failingSinceMs, lastError, lastDeliveredAtMs } = contactOf(realm);
  assert.deepEqual(
    [queued, failingSinceMs, lastError, lastDeliveredAtMs],
    [1, realm.clock.now(), "timeout", undefined],
  );

  await end(realm, last(realm), "delivered");
  assert.deepEqual(deliveriesOf(realm), ["ann PROBLEM delivered 3 timeout"]);
  assert.equal(notificationRecordsOf(realm).at(-1), "notification ann PROBLEM");
  const after = contactOf(realm);
  assert.deepEqual([after.queued, after.failingSinceMs, after.lastDeliveredAtMs], [0, undefined, realm.clock.now()]);

  await realm.send("web1", "ok");
  await end(realm, last(realm), "failed", "404");
  assert.deepEqual(deliveriesOf(realm), ["ann RECOVERY gave_up 1 404"]);
  assert.equal(notificationRecordsOf(realm).at(-1), "notification_failed ann RECOVERY");
  assert.deepEqual([contactOf(realm).failingSinceMs, contactOf(realm).lastError], [realm.clock.now(), "404"]);
});

test("[NO23] deliveries and the state of contacts survive a restart", async () => {
  const plan = planWith([contact("ann")]);
  const realm = await openStarted(plan);
  await realm.send("web1", "critical");
  await fail(realm, last(realm));
  const failingSinceMs = realm.clock.now();
  const again = await openStarted(plan, { ...realm.stored(), notifications: realm.notifications });
  for (const change of again.allRows()) if (change.kind === "put") again.rows.set("web1", change.row);
  assert.deepEqual(deliveriesOf(again), ["ann PROBLEM failing 1 refused"]);
  const { queued, lastError } = contactOf(again);
  assert.deepEqual([queued, contactOf(again).failingSinceMs, lastError], [1, failingSinceMs, "refused"]);
});

test("[DL22] an overdue notification goes to the fallback too, once, and names the contact that failed", async () => {
  const realm = await openStarted(planWith(annFallsBackToBea));
  await realm.send("web1", "critical");
  const problem = last(realm);
  await fail(realm, problem);
  await realm.pass(300_000);
  await overdue(realm, problem);
  const fallback = last(realm);
  assert.deepEqual([fallback.contact, fallback.kind, fallback.fallbackFor], ["bea", "PROBLEM", ["ann"]]);
  assert.match(fallback.comment, /Contact "ann" has not received this notification for 5m.*"bea" is its fallback/);
  assert.deepEqual(deliveriesOf(realm), ["ann PROBLEM failing 1 refused", "bea PROBLEM queued 0"]);
  assert.equal(notificationRecordsOf(realm).at(-1), "notification_queued bea PROBLEM decided ann");

  await overdue(realm, { ...problem, fallbackUsed: true });
  await end(realm, { ...problem, fallbackUsed: true }, "failed", "given up");
  await end(realm, fallback, "delivered");
  assert.equal(realm.notifications.length, 2);
  assert.deepEqual(deliveriesOf(realm), ["ann PROBLEM gave_up 2 given up", "bea PROBLEM delivered 1"]);
});

test("[DL23] a fallback that was notified of a problem gets the recovery from the decision, and no second time", async () => {
  const realm = await openStarted(planWith(annFallsBackToBea));
  await realm.send("web1", "critical");
  await overdue(realm, last(realm));
  await realm.send("web1", "ok");
  const recoveries = realm.notifications.filter(({ kind }) => kind === "RECOVERY");
  assert.deepEqual(
    recoveries.map((one) => one.contact),
    ["ann", "bea"],
  );
  await overdue(realm, ...recoveries.slice(0, 1));
  assert.equal(realm.notifications.filter(({ kind }) => kind === "RECOVERY").length, 2);
});

test("[DL22] a problem that is over when it falls back, falls back together with its recovery", async () => {
  const realm = await openStarted(planWith(annFallsBackToBea));
  await realm.send("web1", "critical");
  await realm.send("web1", "ok");
  await overdue(realm, ...realm.notifications);
  assert.deepEqual(
    realm.notifications.map((one) => `${one.contact} ${one.kind}`),
    ["ann PROBLEM", "ann RECOVERY", "bea PROBLEM", "bea RECOVERY"],
  );
  await realm.send("web1", "critical");
  await realm.send("web1", "ok");
  assert.equal(last(realm).contact, "ann", "the next recovery is not due to the fallback");
});

test("[DL22] a notification that is given up goes to the fallback at once, along the chain of fallbacks", async () => {
  const chain = [contact("ann", fallsBackTo("bea")), contact("bea", fallsBackTo("cat")), contact("cat")];
  const realm = await openStarted(planWith(chain));
  await realm.send("web1", "critical");
  await end(realm, last(realm), "failed", "404");
  assert.equal(last(realm).contact, "bea");
  await end(realm, last(realm), "failed", "404");
  assert.deepEqual([last(realm).contact, last(realm).fallbackFor], ["cat", ["ann", "bea"]]);
  assert.deepEqual(deliveriesOf(realm), [
    "ann PROBLEM gave_up 1 404",
    "bea PROBLEM gave_up 1 404",
    "cat PROBLEM queued 0",
  ]);
});

test("[DL22] a fallback that the same decision notifies, is switched off or has a closed period gets no second one", async () => {
  const both = await openStarted(planWith(annFallsBackToBea, "ann bea"));
  await both.send("web1", "critical");
  await overdue(both, ...both.notifications.slice(0, 1));
  assert.equal(both.notifications.length, 2);

  const off = await openStarted(planWith(annFallsBackToBea));
  await off.command({ kind: "set_contact_notifications", contact: "bea", enabled: false });
  await off.send("web1", "critical");
  await overdue(off, last(off));
  assert.equal(off.notifications.length, 1);
  assert.equal(notificationRecordsOf(off).at(-1), "notification_suppressed bea PROBLEM contact_off bea");
});

test("[DL22] without a fallback an overdue or given up notification goes nowhere else", async () => {
  const realm = await openStarted(planWith([contact("ann")]));
  await realm.send("web1", "critical");
  await overdue(realm, last(realm));
  await end(realm, last(realm), "failed", "404");
  assert.equal(realm.notifications.length, 1);
});

test("[PA43] history and row say that a notification was sent as a possible duplicate; its fallback has no mark", async () => {
  const realm = await openStarted(planWith(annFallsBackToBea));
  await realm.send("web1", "critical");
  const problem = last(realm);
  const marks = (): readonly (readonly unknown[])[] =>
    (realm.rows.get("web1")?.notification?.deliveries ?? []).map((each) => [
      each.contact,
      each.state,
      each.possibleDuplicate ?? false,
    ]);
  await fail(realm, { ...problem, possibleDuplicate: true }, "no answer within 10 s");
  assert.deepEqual(marks(), [["ann", "failing", true]]);
  await end(realm, { ...problem, possibleDuplicate: true }, "failed", "given up");
  assert.deepEqual(marks(), [
    ["ann", "gave_up", true],
    ["bea", "queued", false],
  ]);
  await end(realm, last(realm), "delivered");
  const ends = realm.history.filter(({ type }) => type === "notification" || type === "notification_failed");
  assert.deepEqual(
    ends.map(({ contact: name, possibleDuplicate }) => [name, possibleDuplicate]),
    [
      ["ann", true],
      ["bea", undefined],
    ],
  );
});
