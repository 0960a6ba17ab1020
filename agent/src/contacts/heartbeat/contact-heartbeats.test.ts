import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { type AttemptResult, delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { runImmediates, webhookContactPlan } from "../delivery/delivery.fixture.ts";
import { openContactHeartbeats } from "./contact-heartbeats.ts";

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 10, 21, 9);

function open(probe: () => Promise<boolean>, send: () => Promise<AttemptResult> = async () => delivered) {
  const clock = manualClock(startMs);
  let contacts = new Map([["ann", { ...webhookContactPlan("ann"), heartbeatMs: minuteMs }]]);
  const attempts: string[] = [];
  const sent: string[] = [];
  const heartbeats = openContactHeartbeats({
    ...{ clock, realm: "fra", version: "v1.2.3", contacts: () => contacts, probe, deadlineMsOf: () => 10_000 },
    send({ name }, { realm, version, atMs }) {
      attempts.push(`${name} ${realm} ${version} ${(atMs - startMs) / 1_000}`);
      return send();
    },
    sent: (contact, { kind }) => sent.push(`${contact} ${kind}`),
  });
  return {
    ...{ heartbeats, attempts, sent },
    async advance(ms: number) {
      await runImmediates();
      for (let left = ms; left > 0; left -= 5_000) {
        clock.advance(Math.min(left, 5_000));
        await runImmediates();
      }
    },
    reconfigure(heartbeatMs?: number) {
      const plan = webhookContactPlan("ann");
      contacts = new Map([["ann", heartbeatMs === undefined ? plan : { ...plan, heartbeatMs }]]) as typeof contacts;
      heartbeats.reload();
    },
  };
}

test("[DL24] a heartbeat is sent at the start and once per interval, with realm, version and time", async () => {
  const { attempts, sent, advance, heartbeats } = open(async () => true);
  await advance(2 * minuteMs);
  assert.deepEqual(attempts, ["ann fra v1.2.3 0", "ann fra v1.2.3 60", "ann fra v1.2.3 120"]);
  assert.equal(sent.length, 3);
  heartbeats.close();
  await advance(5 * minuteMs);
  assert.equal(attempts.length, 3);
});

test("[DL24] there is no heartbeat while the journal fails, nor while a probe does not come back", async () => {
  let journal: "works" | "fails" | "hangs" = "fails";
  let probes = 0;
  const { attempts, advance } = open(() => {
    probes += 1;
    return journal === "hangs" ? new Promise(() => {}) : Promise.resolve(journal === "works");
  });
  await advance(2 * minuteMs);
  assert.equal(attempts.length, 0);
  journal = "works";
  await advance(minuteMs);
  assert.equal(attempts.length, 1);
  journal = "hangs";
  await advance(minuteMs);
  const before = probes;
  await advance(10 * minuteMs);
  assert.equal(attempts.length, 1);
  assert.equal(probes, before, "a pending probe is not followed by others");
});

test("[DL24] a heartbeat that fails is not repeated before the next one is due", async () => {
  const { attempts, sent, advance } = open(
    async () => true,
    async () => retry("connect", "refused"),
  );
  await advance(59_000);
  assert.equal(attempts.length, 1);
  await advance(minuteMs);
  assert.deepEqual(sent, ["ann retry", "ann retry"]);
});

test("[DL24] a reload changes the interval of heartbeats and ends them", async () => {
  const { attempts, advance, reconfigure } = open(async () => true);
  await advance(10_000);
  reconfigure(minuteMs);
  await advance(40_000);
  assert.equal(attempts.length, 1, "an unchanged interval goes on");
  reconfigure(20_000);
  await advance(20_000);
  assert.equal(attempts.length, 3);
  reconfigure();
  await advance(10 * minuteMs);
  assert.equal(attempts.length, 3);
});
