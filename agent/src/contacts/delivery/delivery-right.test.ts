import assert from "node:assert/strict";
import { test } from "node:test";
import type { ManualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { refOf } from "@realmwatch/shared/model/object-key";
import fc from "fast-check";
import { type AttemptResult, delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { manualRight } from "../../platform/right/manual-right.fixture.ts";
import type { ContactMessage } from "../contact-message.ts";
import { problemNotification, recoveryNotification } from "../notification.fixture.ts";
import { openTestDelivery, problemAbout, runImmediates, webhookContactPlan } from "./delivery.fixture.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Deadline of an attempt of the test delivery. */
const deadlineMs = 10_000;

type Limits = NonNullable<Parameters<typeof manualRight>[1]>;

/** Delivery of a member of a pair, with its right. */
function openMember(given: Omit<Parameters<typeof openTestDelivery>[0], "right"> & { limits?: Limits }) {
  let right: ReturnType<typeof manualRight> | undefined;
  const open = openTestDelivery({ ...given, right: (clock) => (right = manualRight(clock, given.limits)) });
  assert.ok(right);
  return { ...open, right };
}

const marksOf = ({ notifications }: ContactMessage): string =>
  notifications.map(({ id, possibleDuplicate }) => (possibleDuplicate ? `${id}?` : id)).join(" ");

test("[PA40] no attempt begins unless its deadline fits into the remaining right; it begins once that is prolonged", async () => {
  const sent: string[] = [];
  const { delivery, right, advance, ends, failedAttempts } = openMember({
    send: (message) => {
      sent.push(marksOf(message));
      return delivered;
    },
  });
  right.grant(deadlineMs - 1);
  delivery.enqueue([problemNotification()]);
  await advance(3 * hourMs);
  assert.deepEqual([sent, ends, failedAttempts], [[], [], []]);
  assert.equal(delivery.health()[0]?.failing, undefined);
  right.grant(deadlineMs);
  await runImmediates();
  assert.deepEqual(sent, ["n1"]);
  assert.equal(ends[0]?.outcome, "delivered");
});

test("[PA40] waiting for the right uses up neither the hour of attempts nor `fallback_after`", async () => {
  const ann = { ...webhookContactPlan("ann"), fallback: { contact: "bea", afterMs: 30 * minuteMs } };
  const sent: string[] = [];
  const { delivery, right, advance, ends, overdue } = openMember({
    plans: [ann, webhookContactPlan("bea")],
    send: (message) => {
      sent.push(marksOf(message));
      return retry("server", "answered 500");
    },
  });
  delivery.enqueue([problemNotification()]);
  await advance(20 * minuteMs);
  const before = sent.length;
  right.end();
  await advance(5 * hourMs);
  assert.equal(sent.length, before);
  assert.deepEqual([ends, overdue], [[], []]);
  right.grant(Number.POSITIVE_INFINITY);
  await advance(9 * minuteMs);
  assert.ok(sent.length > before);
  assert.deepEqual([ends, overdue], [[], []]);
  await advance(2 * minuteMs);
  assert.deepEqual(
    overdue.map(({ id }) => id),
    ["n1"],
  );
  await advance(31 * minuteMs);
  assert.match(ends[0]?.detail ?? "", /^given up after an hour/);
});

test("[PA41] a deadline is cut to the longest action of the right", async () => {
  const { delivery, right, advance, failedAttempts } = openMember({
    limits: { longestActionMs: 4_000 },
    send: () => new Promise<AttemptResult>(() => {}),
  });
  right.grant(4_000);
  delivery.enqueue([problemNotification()]);
  await advance(4_000);
  assert.equal(failedAttempts[0]?.detail, "no answer within 4 s");
});

for (const [name, first, mark] of [
  ["that timed out", () => new Promise<AttemptResult>(() => {}), "n1?"],
  ["whose connection broke", () => retry("connect", "the connection was closed"), "n1?"],
  ["that failed unexpectedly", () => Promise.reject(new Error("bug")), "n1?"],
  ["of a gateway without an answer", () => ({ ...retry("server", "answered 504"), mayHaveArrived: true }), "n1?"],
  ["that was refused a connection", () => ({ ...retry("connect", "refused"), mayHaveArrived: false }), "n1"],
  ["that the receiver answered with an error", () => retry("server", "answered 500"), "n1"],
  ["that was sent too early", () => retry("rate_limited", "answered 429", 1_000), "n1"],
] as const)
  test(`[PA43] the attempt after one ${name} is ${mark === "n1" ? "not " : ""}marked as a possible duplicate`, async () => {
    const sent: string[] = [];
    const { delivery, advance, ends } = openMember({
      send: (message) => (sent.push(marksOf(message)) === 1 ? first() : delivered),
    });
    delivery.enqueue([problemNotification()]);
    await advance(minuteMs);
    assert.deepEqual(sent, ["n1", mark]);
    assert.equal(ends[0]?.notification.possibleDuplicate ?? false, mark !== "n1");
  });

test("[PA43] in a digest each entry has its own mark, and an agent without a pair marks nothing", async () => {
  const sent: string[] = [];
  const note = (message: ContactMessage) => {
    sent.push(marksOf(message));
    return delivered;
  };
  const { delivery, advance } = openMember({ plans: [webhookContactPlan("ann", 30_000)], send: note });
  delivery.enqueue([problemAbout("a", "n1"), { ...problemAbout("b", "n2"), possibleDuplicate: true }]);
  await advance(30_000);
  assert.deepEqual(sent.splice(0), ["n1 n2?"]);
  const alone = openTestDelivery({
    send: (message) => (note(message).kind === "delivered" && sent.length === 1 ? retry("timeout", "x") : delivered),
  });
  alone.delivery.enqueue([problemNotification()]);
  await alone.advance(minuteMs);
  assert.deepEqual(sent, ["n1", "n1"]);
});

test("[PA44] with `page` notifications go on without the right, each marked as a possible duplicate", async () => {
  const sent: string[] = [];
  const { delivery, right, advance } = openMember({
    limits: { pagesWithoutRight: true },
    send: (message) => {
      sent.push(marksOf(message));
      return delivered;
    },
  });
  delivery.enqueue([problemAbout("a", "n1")]);
  await advance(1_000);
  right.end();
  delivery.enqueue([problemAbout("b", "n2")]);
  await advance(1_000);
  right.grant(minuteMs);
  delivery.enqueue([problemAbout("c", "n3")]);
  await advance(1_000);
  assert.deepEqual(sent, ["n1", "n2?", "n3"]);
});

test("[PA40] a stop and a removed contact end the waiting for the right", async () => {
  const stopped = openMember({});
  stopped.right.end();
  stopped.delivery.enqueue([problemNotification()]);
  await stopped.delivery.close(1_000);
  stopped.right.grant(hourMs);
  await stopped.advance(minuteMs);
  assert.deepEqual(stopped.outcomes(), []);
  const removed = openMember({});
  removed.right.end();
  removed.delivery.enqueue([problemNotification()]);
  removed.reconfigure([]);
  assert.deepEqual(removed.outcomes(), ["n1 failed"]);
});

/** Act of a receiver on an attempt. The first three take the message. */
const receiverActs = ["answers", "hangs", "resets", "fails", "refuses"] as const;
type ReceiverAct = (typeof receiverActs)[number];
const answers: Readonly<Record<Exclude<ReceiverAct, "hangs">, AttemptResult>> = {
  answers: delivered,
  resets: retry("connect", "the connection was closed"),
  fails: retry("server", "answered 500"),
  refuses: { ...retry("connect", "connection refused"), mayHaveArrived: false },
};

type Attempt = {
  readonly contact: string;
  readonly message: ContactMessage;
  readonly act: ReceiverAct;
  readonly startMs: number;
  endMs: number;
};

/** Receiver of a test delivery, which follows `acts` and answers in the end. Notes all attempts. */
function openReceiver(acts: readonly ReceiverAct[], takesMs: readonly number[], clockOf: () => ManualClock) {
  const attempts: Attempt[] = [];
  const send = (message: ContactMessage, { name }: { readonly name: string }): Promise<AttemptResult> => {
    const clock = clockOf();
    const at = attempts.length;
    const act = acts[at] ?? "answers";
    const startMs = clock.monotonic();
    const attempt: Attempt = { contact: name, message, act, startMs, endMs: startMs + deadlineMs };
    attempts.push(attempt);
    if (act === "hangs") return new Promise(() => {});
    return new Promise((resolve) =>
      clock.after((takesMs[at] ?? 0) % deadlineMs, () => {
        attempt.endMs = clock.monotonic();
        resolve(answers[act]);
      }),
    );
  };
  return { attempts, send };
}

const step = fc.oneof(
  fc.record({ host: fc.integer({ min: 0, max: 2 }), contact: fc.constantFrom("ann", "bob"), over: fc.boolean() }),
  fc.integer({ min: 1, max: 60_000 }).map((advanceMs) => ({ advanceMs })),
  fc.integer({ min: 0, max: 40_000 }).map((grantMs) => ({ grantMs })),
);
const given = fc.record({
  steps: fc.array(step, { maxLength: 40 }),
  acts: fc.array(fc.constantFrom(...receiverActs), { maxLength: 8 }),
  takesMs: fc.array(fc.integer({ min: 0, max: deadlineMs - 1 }), { maxLength: 30 }),
  pagesWithoutRight: fc.boolean(),
});

test("[PA40, PA43, PA44] with random rights and receivers nothing is under way without the right, all is delivered, duplicates are marked", async () => {
  await fc.assert(
    fc.asyncProperty(given, async ({ steps, acts, takesMs, pagesWithoutRight }) => {
      let clock: ManualClock | undefined;
      const clockOf = (): ManualClock => clock as ManualClock;
      const { attempts, send } = openReceiver(acts, takesMs, clockOf);
      const member = openMember({
        plans: [webhookContactPlan("ann"), webhookContactPlan("bob", 20_000)],
        limits: { pagesWithoutRight },
        send,
      });
      clock = member.clock;
      const { delivery, right, ends, advance } = member;
      /** Times with the right, on the monotonic clock; overlapping ones follow each other. */
      const windows: { fromMs: number; toMs: number }[] = [];
      const grant = (ms: number): void => {
        const nowMs = clockOf().monotonic();
        const last = windows.at(-1);
        // A right is prolonged and never shortened.
        const toMs = Math.max(nowMs + ms, last?.toMs ?? 0);
        if (last !== undefined && last.toMs >= nowMs) last.toMs = toMs;
        else windows.push({ fromMs: nowMs, toMs });
        right.grant(toMs - nowMs);
      };
      grant(0);
      let count = 0;
      for (const one of steps) {
        if ("advanceMs" in one) await advance(one.advanceMs);
        else if ("grantMs" in one) grant(one.grantMs);
        else {
          count += 1;
          const key = { kind: "host", name: `h${one.host}` } as const;
          const more = { id: String(count), contact: one.contact, key, problemId: `${one.contact}${one.host}` };
          delivery.enqueue([one.over ? recoveryNotification(more) : problemNotification(more)]);
        }
      }
      grant(1e9);
      for (let minute = 0; minute < 60 && ends.length < count; minute += 1) await advance(minuteMs);
      assert.equal(ends.length, count, "each notification has one end");
      assert.ok(ends.every(({ outcome }) => outcome !== "failed"));
      const isCovered = ({ startMs, endMs }: Attempt): boolean =>
        windows.some(({ fromMs, toMs }) => fromMs <= startMs && endMs <= toMs);
      for (const attempt of attempts) {
        const isMarked = attempt.message.notifications.every(({ possibleDuplicate }) => possibleDuplicate);
        assert.ok(isCovered(attempt) || (pagesWithoutRight && isMarked), JSON.stringify({ attempt, windows }));
      }
      const arrived = attempts
        .filter(({ act }) => act === "answers" || act === "hangs" || act === "resets")
        .flatMap(({ contact, message }) => message.notifications.map((each) => ({ ...each, contact })));
      for (const [, ...repeats] of Map.groupBy(arrived, ({ id }) => id).values())
        assert.ok(repeats.every(({ possibleDuplicate }) => possibleDuplicate));
      const firsts = arrived.filter(({ id }, at) => arrived.findIndex((other) => other.id === id) === at);
      for (const each of Map.groupBy(firsts, ({ contact, key }) => `${contact} ${refOf(key)}`).values()) {
        const ids = each.map(({ id }) => Number(id));
        assert.deepEqual(
          ids,
          ids.toSorted((a, b) => a - b),
        );
      }
    }),
    { numRuns: 150 },
  );
});
