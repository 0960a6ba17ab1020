import assert from "node:assert/strict";
import { test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import fc from "fast-check";
import { type AttemptResult, delivered, reject, retry } from "../../platform/outbound/delivery-result.ts";
import { problemNotification, recoveryNotification } from "../notification.fixture.ts";
import { failAfter, openTestDelivery, problemAbout, runImmediates, webhookContactPlan } from "./delivery.fixture.ts";

test("[DL1] a message that is delivered ends once", async () => {
  const { delivery, ends } = openTestDelivery({ send: () => delivered });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  assert.deepEqual(ends, [{ notification: problemNotification(), outcome: "delivered", detail: "", attempted: true }]);
  assert.equal(delivery.health()[0]?.waiting, 0);
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
  delivery.enqueue([problemNotification(), recoveryNotification(), problemAbout("db1", "n3")]);
  await runImmediates();
  assert.deepEqual(outcomes(), ["n3 delivered"]);
  await advance(1_000);
  assert.deepEqual(sent, ["n1", "n3", "n1", "n2"]);
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
  delivery.enqueue([problemAbout("a", "n1"), problemAbout("b", "n2"), problemAbout("c", "n3")]);
  for (let second = 0; second < 300; second += 1) await advance(1_000);
  down = false;
  delivery.enqueue([problemAbout("d", "n4")]);
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
  delivery.enqueue([problemAbout("a", "n1"), problemAbout("b", "n2"), { ...problemAbout("c", "n3"), contact: "bob" }]);
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

test("[DL14] closing does not wait longer than its grace for an end that does not become durable", async () => {
  const { delivery, clock } = openTestDelivery({ durable: () => new Promise(() => {}) });
  delivery.enqueue([problemNotification()]);
  await runImmediates();
  let closed = false;
  const closing = delivery.close(5_000).then(() => (closed = true));
  clock.advance(4_999);
  await runImmediates();
  assert.equal(closed, false);
  clock.advance(1);
  await closing;
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
