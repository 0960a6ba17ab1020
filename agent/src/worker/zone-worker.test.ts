import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { outcome } from "@realmwatch/shared/model/outcome";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { CheckRun } from "../checks/run-check.ts";
import type { CheckOffer } from "../zones/check-offer.ts";
import { offeredHost, offeredPlan } from "./offered-plan.ts";
import { ZoneWorker, type ZoneWorkerOptions } from "./zone-worker.ts";

const offerOf = (check: CheckOffer["check"], more: Partial<CheckOffer> = {}): CheckOffer => ({
  version: 1,
  check,
  timeoutMs: 2_000,
  host: { name: "dmz1", maxAttempts: 2, vars: { RACK: "B7" }, address: "192.0.2.7" },
  commands: {},
  resources: { USER1: "first" },
  macros: { HOSTSTATE: "UP" },
  ...more,
});
const tcp = offerOf({ type: "tcp", host: "192.0.2.7", port: 80 });
const legacy = offerOf({ type: "legacy", path: "/bin/true", args: [] });
const fine: CheckRun = { ...outcome("ok", "fine"), executionMs: 3 };

function setUp(more: Partial<ZoneWorkerOptions> = {}) {
  const ends: ((run: CheckRun) => void)[] = [];
  const counts = { ended: 0, declined: 0 };
  const worker = new ZoneWorker({
    clock: systemClock,
    places: { checks: 3, programs: 1 },
    run: () => new Promise((resolve) => void ends.push(resolve)),
    ended: () => void counts.ended++,
    declined: () => void counts.declined++,
    ...more,
  });
  return { worker, ends, counts };
}

test("[ZO2] a worker runs as many checks and programs as it has slots for, and declines others at once", async () => {
  const { worker, ends, counts } = setUp();
  const running = [worker.work(legacy), worker.work(tcp)];
  assert.deepEqual(await worker.work(legacy), { kind: "declined" });
  running.push(worker.work(tcp));
  assert.deepEqual(await worker.work(tcp), { kind: "declined" });
  assert.equal(worker.running, 3);
  for (const end of ends) end(fine);
  for (const answer of await Promise.all(running))
    assert.deepEqual(answer, { kind: "done", outcome: outcome("ok", "fine"), executionMs: 3 });
  assert.deepEqual([worker.running, counts], [0, { ended: 3, declined: 2 }]);
});

test("[ZO2] a stopping worker waits for running checks and declines new ones", async () => {
  const { worker, ends } = setUp();
  const running = worker.work(tcp);
  const stopped = worker.stop(60_000);
  assert.deepEqual(await worker.work(tcp), { kind: "declined" });
  ends[0]?.(fine);
  assert.equal((await running).kind, "done");
  await stopped;
});

test("[ZO2] a check interrupted by the end of a worker is declined, so that another worker takes it", async () => {
  const clock = manualClock();
  const { worker, ends } = setUp({ clock });
  const running = worker.work(tcp);
  const stopped = worker.stop(100);
  for (let n = 0; n < 10; n += 1) {
    clock.advance(20);
    await Promise.resolve();
  }
  await stopped;
  ends[0]?.({ ...outcome("unknown", "interrupted"), executionMs: 100 });
  assert.deepEqual(await running, { kind: "declined" });
});

test("[ZO1] a check that throws is refused and frees its slot", async () => {
  const { worker } = setUp({ run: () => Promise.reject(new TypeError("of a secret")) });
  assert.deepEqual(await worker.work(tcp), { kind: "refused", why: "the check failed: TypeError" });
  assert.equal(worker.running, 0);
});

test("[ZO3] a check receives the host, service, resources and macros of its offer", async () => {
  const service = { name: "web", maxAttempts: 5, vars: { PORT: "81" } };
  let seen: Parameters<ZoneWorkerOptions["run"]> | undefined;
  const { worker } = setUp({
    async run(...given) {
      seen = given;
      return fine;
    },
  });
  const offer = offerOf(legacy.check, { service });
  await worker.work(offer);
  const [plan, environment] = seen ?? assert.fail("nothing ran");
  assert.deepEqual(plan, offeredPlan(offer));
  assert.deepEqual(plan.key, { kind: "service", host: "dmz1", name: "web" });
  assert.deepEqual([plan.vars, plan.schedule.maxAttempts, plan.schedule.timeoutMs], [{ PORT: "81" }, 5, 2_000]);
  assert.deepEqual(environment.host, offeredHost(offer));
  assert.deepEqual([environment.host.address, environment.host.vars], ["192.0.2.7", { RACK: "B7" }]);
  assert.deepEqual(
    [environment.realm.resources, environment.macro("HOSTSTATE"), environment.macro("toString")],
    [{ USER1: "first" }, "UP", undefined],
  );
  assert.equal(offeredPlan(legacy).key.kind, "host");
});
