import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandlerPlan, HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type ManualClock, manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { outcome } from "@realmwatch/shared/model/outcome";
import { runImmediates, webhookContactPlan } from "../contacts/delivery/delivery.fixture.ts";
import { openContactHeartbeats } from "../contacts/heartbeat/contact-heartbeats.ts";
import { openHandlerQueue } from "../handlers/handler-queue.ts";
import { delivered } from "../platform/outbound/delivery-result.ts";
import { manualRight } from "../platform/right/manual-right.fixture.ts";
import { whenRightFits, whileRightLasts } from "../platform/right/right-gate.ts";
import { unlimitedRight } from "../platform/right/right-to-act.ts";

const restart: HandlerPlan = { run: { type: "legacy", path: "/bin/true", args: [] }, timeoutMs: 20_000 };

function openHandlers(limits: Parameters<typeof manualRight>[1]) {
  const right = manualRight(manualClock(), limits);
  const ran: number[] = [];
  const ended: string[] = [];
  const queue = openHandlerQueue({
    right,
    handler: (name) => (name === "gone" ? undefined : restart),
    async run({ handler }) {
      ran.push(handler.timeoutMs);
      return outcome("ok", "done");
    },
    ended: ({ name, output }) => ended.push(`${name}: ${output}`),
  });
  const key = { kind: "service", host: "web1", name: "http" } as const;
  const plan = { ref: "web1!http", key } as ServicePlan;
  const ask = (...names: string[]) => queue.enqueue([{ plan, host: { ref: "web1" } as HostPlan, names, macros: {} }]);
  return { right, queue, ran, ended, ask };
}

test("[PA40, PA44] a handler waits until its timeout fits into the right, also with `page`, and keeps its turn", async () => {
  const { right, ran, ended, ask } = openHandlers({ pagesWithoutRight: true });
  right.grant(19_999);
  ask("first");
  ask("gone", "second");
  await runImmediates();
  right.grant(19_999);
  await runImmediates();
  assert.deepEqual([ran, ended], [[], []]);
  right.grant(20_000);
  await runImmediates();
  assert.deepEqual(ended, [
    "first: done",
    "gone: the handler was not run: it was removed from the configuration",
    "second: done",
  ]);
});

test("[PA41] the timeout of a handler is cut to the longest action of the right", async () => {
  const { right, ran, ask } = openHandlers({ longestActionMs: 5_000 });
  right.grant(5_000);
  ask("first");
  await runImmediates();
  assert.deepEqual(ran, [5_000]);
});

test("[PA40, PA46] a handler that waits for the right is not run after the queue was closed, which names its object", async () => {
  const { right, queue, ran, ended, ask } = openHandlers({});
  right.end();
  ask("first");
  ask("second");
  assert.deepEqual(queue.close(), ["web1!http"]);
  right.grant(60_000);
  await runImmediates();
  assert.deepEqual([ran, ended], [[], []]);
});

test("[PA40] an action that waited for a place is interrupted at the end of the right, and not while that is prolonged", async () => {
  const clock = manualClock();
  const right = manualRight(clock);
  right.grant(10_000);
  let isInterrupted = false;
  const running = whileRightLasts(
    right,
    clock,
    (signal) =>
      new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => {
          isInterrupted = true;
          resolve();
        }),
      ),
  );
  clock.advance(9_000);
  right.grant(10_000);
  clock.advance(9_999);
  assert.equal(isInterrupted, false);
  clock.advance(1);
  await running;
  assert.equal(isInterrupted, true);
  assert.equal(clock.nextInMs(), Number.POSITIVE_INFINITY);
});

test("[PA40] waiting for the right ends with the signal, and an agent without a pair never waits", async () => {
  const right = manualRight(manualClock());
  right.end();
  const stopping = new AbortController();
  const waiting = whenRightFits(right, 1_000, stopping.signal);
  stopping.abort();
  assert.equal(await waiting, false);
  assert.equal(await whenRightFits(right, 1_000, stopping.signal), false);
  assert.equal(await whenRightFits(unlimitedRight, 1e12), true);
});

const beatMs = 60_000;

function openHeartbeats(clock: ManualClock) {
  const right = manualRight(clock, { pagesWithoutRight: true });
  const sentAtS: number[] = [];
  const contacts = new Map([["ann", { ...webhookContactPlan("ann"), heartbeatMs: beatMs }]]);
  right.end();
  openContactHeartbeats({
    ...{ clock, right, realm: "fra", version: "v1", contacts: () => contacts, probe: async () => true },
    deadlineMsOf: () => 10_000,
    async send(_, { atMs }) {
      sentAtS.push(atMs / 1_000);
      return delivered;
    },
    sent: () => {},
  });
  return { right, sentAtS };
}

test("[PA40, PA44] heartbeats wait for the right, also with `page`, and one follows at once when it is back", async () => {
  const clock = manualClock();
  const { right, sentAtS } = openHeartbeats(clock);
  const advance = async (ms: number): Promise<void> => {
    await runImmediates();
    clock.advance(ms);
    await runImmediates();
  };
  for (let beat = 0; beat < 5; beat += 1) await advance(beatMs);
  assert.deepEqual(sentAtS, []);
  await advance(5_000);
  right.grant(3 * beatMs);
  await advance(beatMs);
  assert.deepEqual(sentAtS, [305, 365]);
});
