import assert from "node:assert/strict";
import { test } from "node:test";
import { type AttemptResult, delivered, reject, retry } from "../../platform/outbound/delivery-result.ts";
import { problemNotification } from "../notification.fixture.ts";
import { failAfter, openTestDelivery, problemAbout, runImmediates, webhookContactPlan } from "./delivery.fixture.ts";

test("[DL7] transient failures are retried ever more slowly for an hour, then the message has failed", async () => {
  const sentAtS: number[] = [];
  const { delivery, clock, advance, ends } = openTestDelivery({
    send: () => failAfter(() => sentAtS.push(clock.monotonic() / 1_000), "answered 503"),
  });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  for (let second = 0; second < 3_700; second += 1) await advance(1_000);
  assert.deepEqual(sentAtS.slice(0, 8), [0, 1, 3, 7, 15, 31, 63, 123]);
  const [end] = ends;
  assert.equal(ends.length, 1);
  assert.equal(end?.outcome, "failed");
  assert.equal(end?.detail, "given up after an hour; the last attempt: answered 503");
  assert.ok((sentAtS.at(-1) ?? 0) > 3_500);
});

test("[DL7] a permanent failure is not tried again", async () => {
  const { delivery, advance, ends, attempts } = openTestDelivery({ send: () => reject("refused", "answered 404") });
  delivery.enqueue([problemNotification()]);
  await advance(100_000);
  assert.deepEqual(ends, [
    { notification: problemNotification(), outcome: "failed", detail: "answered 404", attempted: true },
  ]);
  assert.deepEqual(attempts, ["refused"]);
});

test("[DL7] a delay that the receiver requests applies to all messages of the contact", async () => {
  const sent: string[] = [];
  const { delivery, advance } = openTestDelivery({
    send: (m) => (sent.push(m.id) === 1 ? retry("rate_limited", "answered 429", 30_000) : delivered),
  });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  delivery.enqueue([problemAbout("db1", "n3")]);
  await advance(29_000);
  assert.deepEqual(sent, ["n1"]);
  await advance(1_000);
  assert.deepEqual(sent.toSorted(), ["n1", "n1", "n3"]);
});

test("[DL7] a receiver cannot suppress its contact for days", async () => {
  const sent: string[] = [];
  const { delivery, advance, outcomes } = openTestDelivery({
    send: (m) => (sent.push(m.id) === 1 ? retry("rate_limited", "answered 429", 1e12) : delivered),
  });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  delivery.enqueue([problemAbout("db1", "n3")]);
  await advance(600_000);
  assert.deepEqual(outcomes(), ["n1 failed", "n3 delivered"]);
});

test("[DL8] a failing receiver gets one attempt at a time", async () => {
  let down = true;
  let sending = 0;
  let most = 0;
  const { delivery, advance, outcomes, failedAttempts } = openTestDelivery({
    send: async () => {
      sending += 1;
      most = Math.max(most, sending);
      await Promise.resolve();
      sending -= 1;
      return down ? retry("connect", "connection refused") : delivered;
    },
  });
  delivery.enqueue(Array.from({ length: 100 }, (_, at) => problemAbout(`h${at}`, `n${at}`)));
  await runImmediates();
  most = 0;
  for (let second = 0; second < 120; second += 1) await advance(1_000);
  assert.equal(most, 1);
  assert.equal(delivery.health()[0]?.failing, "connect");
  assert.equal(failedAttempts.at(-1)?.detail, "connection refused");
  down = false;
  await advance(120_000);
  assert.equal(outcomes().length, 100);
  assert.equal(delivery.health()[0]?.failing, undefined);
});

test("[DL7] messages that waited an hour for an unreachable receiver fail after a bounded number of attempts", async () => {
  const { delivery, advance, ends, attempts } = openTestDelivery({
    send: () => retry("connect", "connection refused"),
  });
  delivery.enqueue(Array.from({ length: 1_000 }, (_, at) => problemAbout(`h${at}`, `n${at}`)));
  for (let minute = 0; minute < 70; minute += 1) await advance(60_000);
  assert.equal(ends.length, 1_000);
  assert.ok(ends.every(({ outcome }) => outcome === "failed"));
  assert.ok(attempts.length < 200, `${attempts.length}`);
});

test("[DL8] one message that always fails does not delay others", async () => {
  const { delivery, advance, outcomes } = openTestDelivery({
    send: (m) => (m.id === "poison" ? retry("server", "answered 500") : delivered),
  });
  delivery.enqueue([problemAbout("bad", "poison")]);
  await advance(600_000);
  delivery.enqueue([problemAbout("db1", "n3")]);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n3 delivered"]);
});

test("[DL8] a contact that hangs delays no other contact", async () => {
  const plans = [webhookContactPlan("ann"), webhookContactPlan("bob")];
  const { delivery, advance, outcomes, failedAttempts } = openTestDelivery({
    plans,
    send: (_, { name }) => (name === "ann" ? new Promise<AttemptResult>(() => {}) : delivered),
  });
  const forAnn = Array.from({ length: 50 }, (_, at) => problemAbout(`h${at}`, `a${at}`));
  delivery.enqueue([...forAnn, problemNotification({ id: "b", contact: "bob" })]);
  await runImmediates();
  assert.deepEqual(outcomes(), ["b delivered"]);
  await advance(10_000);
  assert.equal(failedAttempts.at(-1)?.detail, "no answer within 10 s");
});

test("[DL8] a full queue ends new notifications as failed", async () => {
  const { delivery, ends } = openTestDelivery({ send: () => new Promise<AttemptResult>(() => {}) });
  delivery.enqueue(Array.from({ length: 10_001 }, (_, at) => problemAbout(`h${at}`, `n${at}`)));
  const detail = "10000 notifications wait for this contact already";
  assert.deepEqual(
    ends.map((end) => [end.notification.id, end.outcome, end.detail]),
    [["n10000", "failed", detail]],
  );
});
