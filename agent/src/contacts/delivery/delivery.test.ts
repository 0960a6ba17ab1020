import assert from "node:assert/strict";
import { test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import fc from "fast-check";
import { type AttemptResult, delivered, reject, retry } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import { notificationAtMs, problemNotification, recoveryNotification } from "../notification.fixture.ts";
import { openTestDelivery, runImmediates, webhookContactPlan } from "./delivery.fixture.ts";

const about = (host: string, id: string) =>
  problemNotification({ id, problemId: `p-${host}`, key: { kind: "host", name: host } });
const recordIn = (sent: ContactMessage[]) => (message: ContactMessage) => {
  sent.push(message);
  return delivered;
};
const failAfter = (note: () => void, detail: string): AttemptResult => {
  note();
  return retry("server", detail);
};
const ids = (message: ContactMessage): string => message.notifications.map(({ id }) => id).join("+");

test("[DL1] a message that is delivered ends once", async () => {
  const { delivery, ends } = openTestDelivery({ send: () => delivered });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  assert.deepEqual(ends, [{ notification: problemNotification(), outcome: "delivered", detail: "", attempted: true }]);
  assert.equal(delivery.waiting(), 0);
});

test("[DL1] a notification that is enqueued twice is delivered once", async () => {
  const sent: string[] = [];
  const { delivery } = openTestDelivery({ send: (m) => failAfter(() => sent.push(m.id), "answered 500") });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  assert.deepEqual(sent, ["n1"]);
});

test("[DL2] every attempt has the id of the notification", async () => {
  const sent: string[] = [];
  const { delivery, advance } = openTestDelivery({
    send: (m) => (sent.push(m.id) < 3 ? retry("server", "answered 500") : delivered),
  });
  delivery.enqueue([problemNotification({ id: "7" })]);
  await runImmediates();
  await advance(1_000);
  await advance(2_000);
  assert.deepEqual(sent, ["7", "7", "7"]);
});

test("[DL3] a recovery waits for its problem, and notifications about other objects overtake it", async () => {
  const sent: string[] = [];
  const { delivery, advance, outcomes } = openTestDelivery({
    send: (m) => (sent.push(m.id) === 1 ? retry("server", "answered 500") : delivered),
  });
  delivery.enqueue([problemNotification(), recoveryNotification(), about("db1", "n3")]);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n3 delivered"]);
  await advance(1_000);
  assert.deepEqual(sent, ["n1", "n3", "n1", "n2"]);
});

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
  delivery.enqueue([about("db1", "n3")]);
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
  delivery.enqueue([about("db1", "n3")]);
  await advance(600_000);
  assert.deepEqual(outcomes(), ["n1 failed", "n3 delivered"]);
});

test("[DL8] a failing receiver gets one attempt at a time", async () => {
  let down = true;
  let sending = 0;
  let most = 0;
  const { delivery, advance, outcomes } = openTestDelivery({
    send: async () => {
      sending += 1;
      most = Math.max(most, sending);
      await Promise.resolve();
      sending -= 1;
      return down ? retry("connect", "connection refused") : delivered;
    },
  });
  delivery.enqueue(Array.from({ length: 100 }, (_, at) => about(`h${at}`, `n${at}`)));
  await runImmediates();
  most = 0;
  for (let second = 0; second < 120; second += 1) await advance(1_000);
  assert.equal(most, 1);
  assert.equal(delivery.health()[0]?.failing, "connect");
  assert.equal(delivery.health()[0]?.lastError, "connection refused");
  down = false;
  await advance(120_000);
  assert.equal(outcomes().length, 100);
  assert.equal(delivery.health()[0]?.failing, undefined);
});

test("[DL7] messages that waited an hour for an unreachable receiver fail after a bounded number of attempts", async () => {
  const { delivery, advance, ends, attempts } = openTestDelivery({
    send: () => retry("connect", "connection refused"),
  });
  delivery.enqueue(Array.from({ length: 1_000 }, (_, at) => about(`h${at}`, `n${at}`)));
  for (let minute = 0; minute < 70; minute += 1) await advance(60_000);
  assert.equal(ends.length, 1_000);
  assert.ok(ends.every(({ outcome }) => outcome === "failed"));
  assert.ok(attempts.length < 200, `${attempts.length}`);
});

test("[DL8] one message that always fails does not delay others", async () => {
  const { delivery, advance, outcomes } = openTestDelivery({
    send: (m) => (m.id === "poison" ? retry("server", "answered 500") : delivered),
  });
  delivery.enqueue([about("bad", "poison")]);
  await advance(600_000);
  delivery.enqueue([about("db1", "n3")]);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n3 delivered"]);
});

test("[DL8] a contact that hangs delays no other contact", async () => {
  const plans = [webhookContactPlan("ann"), webhookContactPlan("bob")];
  const { delivery, advance, outcomes } = openTestDelivery({
    plans,
    send: (_, { name }) => (name === "ann" ? new Promise<AttemptResult>(() => {}) : delivered),
  });
  const forAnn = Array.from({ length: 50 }, (_, at) => about(`h${at}`, `a${at}`));
  delivery.enqueue([...forAnn, problemNotification({ id: "b", contact: "bob" })]);
  await runImmediates();
  assert.deepEqual(outcomes(), ["b delivered"]);
  await advance(10_000);
  assert.equal(delivery.health()[0]?.lastError, "no answer within 10 s");
});

test("[DL4] a window makes one digest, problems first and grouped by host", async () => {
  const sent: ContactMessage[] = [];
  const { delivery, advance } = openTestDelivery({
    plans: [webhookContactPlan("ann", 30_000)],
    send: recordIn(sent),
  });
  delivery.enqueue([
    recoveryNotification({ id: "old", problemId: "p0", key: { kind: "host", name: "a" } }),
    about("b", "n1"),
  ]);
  await advance(20_000);
  delivery.enqueue([
    about("c", "n2"),
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
  delivery.enqueue([problemNotification({ id: "early", atMs: notificationAtMs - 25_000 }), about("b", "late")]);
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

test("[DL8] a full queue ends new notifications as failed", async () => {
  const { delivery, ends } = openTestDelivery({ send: () => new Promise<AttemptResult>(() => {}) });
  delivery.enqueue(Array.from({ length: 10_001 }, (_, at) => about(`h${at}`, `n${at}`)));
  const detail = "10000 notifications wait for this contact already";
  assert.deepEqual(
    ends.map((end) => [end.notification.id, end.outcome, end.detail]),
    [["n10000", "failed", detail]],
  );
});

test("[DL13] notifications to a removed contact fail; a running attempt may still succeed", async () => {
  let answer = (_: AttemptResult): void => {};
  const { delivery, reconfigure, outcomes } = openTestDelivery({
    plans: [webhookContactPlan("ann"), webhookContactPlan("bob", 30_000)],
    send: () => new Promise<AttemptResult>((resolve) => (answer = resolve)),
  });
  delivery.enqueue([problemNotification(), recoveryNotification(), problemNotification({ id: "b", contact: "bob" })]);
  await runImmediates();
  reconfigure([]);
  assert.deepEqual(outcomes(), ["n2 failed", "b failed"]);
  delivery.enqueue([problemNotification({ id: "n9" })]);
  assert.deepEqual(outcomes(), ["n2 failed", "b failed", "n9 failed"]);
  answer(delivered);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n2 failed", "b failed", "n9 failed", "n1 delivered"]);
});

test("[DL13] a new configuration retries at once", async () => {
  let down = true;
  const { delivery, advance, reconfigure, outcomes } = openTestDelivery({
    send: () => (down ? retry("connect", "connection refused") : delivered),
  });
  delivery.enqueue([about("a", "n1"), about("b", "n2"), about("c", "n3")]);
  for (let second = 0; second < 300; second += 1) await advance(1_000);
  down = false;
  delivery.enqueue([about("d", "n4")]);
  reconfigure([webhookContactPlan("ann")]);
  await runImmediates();
  assert.ok(outcomes().includes("n4 delivered"));
});

test("[DL18] a contact's next message waits until the previous end is durable", async () => {
  const disk: (() => void)[] = [];
  const { delivery, advance, outcomes } = openTestDelivery({
    plans: [webhookContactPlan("ann"), webhookContactPlan("bob")],
    durable: () => new Promise((done) => disk.push(done)),
  });
  delivery.enqueue([about("a", "n1"), about("b", "n2"), { ...about("c", "n3"), contact: "bob" }]);
  await advance(60_000);
  assert.deepEqual(outcomes(), ["n1 delivered", "n3 delivered"]);
  for (const done of disk.splice(0)) done();
  await advance(1);
  assert.deepEqual(outcomes(), ["n1 delivered", "n3 delivered", "n2 delivered"]);
});

test("[DL14] closing waits for running attempts; undelivered notifications get no end", async () => {
  let answer = (_: AttemptResult): void => {};
  const { delivery, clock, outcomes } = openTestDelivery({
    plans: [webhookContactPlan("ann"), webhookContactPlan("bob"), webhookContactPlan("eve", 30_000)],
    send: (_, { name }) =>
      new Promise<AttemptResult>((resolve) => {
        if (name === "ann") answer = resolve;
      }),
  });
  delivery.enqueue([
    problemNotification(),
    recoveryNotification(),
    problemNotification({ id: "b", contact: "bob" }),
    problemNotification({ id: "e", contact: "eve" }),
  ]);
  await runImmediates();
  let closed = false;
  const closing = delivery.close(5_000).then(() => (closed = true));
  answer(delivered);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n1 delivered"]);
  assert.equal(closed, false);
  clock.advance(5_000);
  await closing;
  clock.advance(1e7);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n1 delivered"]);
});

test("[DL1, DL3] with random inputs and failures each notification has one end and the order of each object is kept", async () => {
  const outcome = fc.constantFrom<AttemptResult>(
    delivered,
    delivered,
    retry("server", "x"),
    retry("connect", "x"),
    retry("timeout", "x"),
    retry("rate_limited", "x", 5_000),
    reject("refused", "x"),
  );
  const step = fc.oneof(
    fc.record({ host: fc.integer({ min: 0, max: 3 }), contact: fc.constantFrom("ann", "bob"), over: fc.boolean() }),
    fc.integer({ min: 0, max: 90_000 }),
  );
  const given = fc.record({ steps: fc.array(step, { maxLength: 40 }), outcomes: fc.infiniteStream(outcome) });
  await fc.assert(
    fc.asyncProperty(given, async ({ steps, outcomes }) => {
      const arrived: { contact: string; id: number; host: string }[] = [];
      const { delivery, advance, ends } = openTestDelivery({
        plans: [webhookContactPlan("ann"), webhookContactPlan("bob", 20_000)],
        send: async ({ notifications }, { name }) => {
          const attempt = outcomes.next().value as AttemptResult;
          await Promise.resolve();
          if (attempt.kind === "delivered")
            for (const { id, key } of notifications) arrived.push({ contact: name, id: Number(id), host: refOf(key) });
          return attempt;
        },
      });
      let count = 0;
      for (const one of steps) {
        if (typeof one === "number") await advance(one);
        else {
          count += 1;
          const key = { kind: "host", name: `h${one.host}` } as const;
          const more = { id: String(count), contact: one.contact, key, problemId: `${one.contact}${one.host}` };
          delivery.enqueue([one.over ? recoveryNotification(more) : problemNotification(more)]);
        }
      }
      for (let minute = 0; minute < 200 && ends.length < count; minute += 1) await advance(60_000);
      assert.deepEqual(
        ends.map(({ notification: { id } }) => Number(id)).toSorted((a, b) => a - b),
        Array.from({ length: count }, (_, at) => at + 1),
      );
      for (const messages of Map.groupBy(arrived, ({ contact, host }) => `${contact} ${host}`).values())
        assert.deepEqual(
          messages.map(({ id }) => id),
          messages.map(({ id }) => id).toSorted((a, b) => a - b),
        );
    }),
    { numRuns: 150 },
  );
});
