import assert from "node:assert/strict";
import { test } from "node:test";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkQueueGroup, checkSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { acceptOffers } from "./accept-offers.ts";
import type { CheckAnswer } from "./check-answer.ts";
import type { CheckOffer } from "./check-offer.ts";
import { agentOn, doneAnswer, flushed, startZone, testZone, workerOn, zoneHostPlan } from "./zones.fixture.ts";

const log = { info() {}, warn() {} };

test("[ZO1] an offer is run once, and the result has the worker's name as source", async () => {
  await using zone = await startZone(["one", "two"]);
  const { agentBus, workers } = zone;
  const seen: CheckOffer[] = [];
  for (const [n, bus] of workers.entries())
    workerOn(bus, `box:${n}`, async (offer) => {
      seen.push(offer);
      return doneAnswer;
    });
  await Promise.all(workers.map(flushed));
  const agent = agentOn(agentBus);
  const found = await agent.run(zoneHostPlan(5_000));
  assert.deepEqual([found.status, found.output, found.executionMs], ["ok", "fine", 5]);
  assert.match(found.source ?? "", /^box:[01]$/);
  assert.deepEqual([seen.length, agent.ends], [1, ["done"]]);
});

test("[ZO8] a worker of all realms shares their checks with a worker of one realm, and each check runs once", async () => {
  await using zone = await startZone(["of all realms", "of fra"]);
  const { agentBus, workers } = zone;
  const runs: string[] = [];
  const workAs = (name: string) => async () => {
    runs.push(name);
    return doneAnswer;
  };
  const [ofAll, ofFra] = workers as [NatsBus, NatsBus];
  acceptOffers({
    ...{ bus: ofAll, clock: systemClock, realm: undefined, zones: [testZone], worker: "all", log, insecure: false },
    work: workAs("all"),
  });
  workerOn(ofFra, "fra", workAs("fra"));
  await Promise.all(workers.map(flushed));
  const ams = await agentOn(agentBus, "ams").run(zoneHostPlan(5_000));
  assert.deepEqual([ams.status, ams.source, runs], ["ok", "all", ["all"]]);
  const fra = agentOn(agentBus);
  const results = await Promise.all(Array.from({ length: 20 }, () => fra.run(zoneHostPlan(5_000))));
  assert.deepEqual([results.filter(({ status }) => status === "ok").length, runs.length], [20, 21]);
});

test("[ZO2] a check declined by one worker is taken by another one", async () => {
  await using zone = await startZone(["full", "free"]);
  const { agentBus, workers } = zone;
  const [full, free] = workers as [NatsBus, NatsBus];
  workerOn(full, "full", async () => ({ kind: "declined" }));
  workerOn(free, "free", async () => doneAnswer);
  await Promise.all(workers.map(flushed));
  const { run } = agentOn(agentBus);
  const found = await Promise.all(Array.from({ length: 20 }, () => run(zoneHostPlan(10_000))));
  assert.deepEqual([...new Set(found.map(({ source }) => source))], ["free"]);
});

test("[ZO1] a check of a zone with only busy workers is unknown after its timeout", async () => {
  await using zone = await startZone(["full"]);
  const { agentBus, workers } = zone;
  workerOn(workers[0] as NatsBus, "full", async () => ({ kind: "declined" }));
  await flushed(workers[0]);
  const { run, ends } = agentOn(agentBus);
  const found = await run(zoneHostPlan(300));
  assert.equal(found.status, "unknown");
  assert.equal(
    found.output,
    'no worker of zone "far away.>" took the check within 300ms: all connected workers are busy',
  );
  assert.deepEqual(ends, ["not_taken"]);
});

test("[ZO1] a worker that connects before the timeout receives the check", async () => {
  await using zone = await startZone(["late"]);
  const { agentBus, workers } = zone;
  const { run } = agentOn(agentBus);
  const running = run(zoneHostPlan(30_000));
  await flushed(agentBus);
  workerOn(workers[0] as NatsBus, "late", async () => doneAnswer);
  const found = await running;
  assert.equal(found.source, "late");
  assert.ok((found.waitedMs ?? 0) > 0, "the waiting time is returned");
});

test("[ZO1] a check of a worker that died is unknown at its deadline", async () => {
  await using zone = await startZone(["dies"]);
  const { agentBus, workers } = zone;
  workerOn(workers[0] as NatsBus, "dies", () => new Promise(() => {}));
  await flushed(workers[0]);
  const { run, ends } = agentOn(agentBus);
  const found = await run(zoneHostPlan(200));
  assert.deepEqual(
    [found.status, found.output],
    ["unknown", 'worker dies of zone "far away.>" took the check and did not answer within 1.2s'],
  );
  assert.deepEqual(ends, ["no_answer"]);
});

test("[ZO6] a check offered to a hung worker is offered to another one", async () => {
  await using zone = await startZone(["hangs", "works"]);
  const { agentBus, workers } = zone;
  const [hangs, works] = workers as [NatsBus, NatsBus];
  // Connected to the broker, but not responding.
  let offered = 0;
  hangs.subscribe(checkSubject("fra", testZone), () => void offered++, { queue: checkQueueGroup });
  workerOn(works, "works", async () => doneAnswer);
  await Promise.all(workers.map(flushed));
  const { run, ends } = agentOn(agentBus);
  const found = await Promise.all(Array.from({ length: 20 }, () => run(zoneHostPlan(60_000))));
  assert.ok(offered > 0);
  assert.ok(found.every(({ source }) => source === "works"));
  assert.equal(ends.filter((how) => how === "done").length, 20);
});

test("[ZO1] a check that runs while NATS restarts is offered again and completes", async () => {
  await using zone = await startZone(["one"]);
  const { agentBus, workers } = zone;
  let offers = 0;
  const first = Promise.withResolvers<void>();
  workerOn(workers[0] as NatsBus, "one", async () => {
    offers += 1;
    first.resolve();
    // The first offer is never answered.
    return offers > 1 ? doneAnswer : new Promise<CheckAnswer>(() => {});
  });
  await flushed(workers[0]);
  const running = agentOn(agentBus).run(zoneHostPlan(60_000));
  await first.promise;
  await zone.server.stop("SIGKILL");
  await zone.server.restart();
  assert.equal((await running).status, "ok");
  assert.equal(offers, 2);
});

test("[ZO1] an agent that stops interrupts checks that no worker has taken", async () => {
  await using zone = await startZone([]);
  const { agentBus } = zone;
  const { run, stopping, ends } = agentOn(agentBus);
  const running = run(zoneHostPlan(60_000));
  await flushed(agentBus);
  stopping.abort();
  assert.equal((await running).status, "unknown");
  assert.deepEqual(ends, ["interrupted"]);
});

test("[ZO5] with a worker of another release the output names the remedy", async () => {
  await using zone = await startZone(["new"]);
  const { agentBus, workers } = zone;
  workers[0]?.subscribe(
    checkSubject("fra", testZone),
    (message) => void message.respond('{"version":2,"kind":"done"}'),
  );
  await flushed(workers[0]);
  const found = await agentOn(agentBus).run(zoneHostPlan(5_000));
  assert.match(
    found.output,
    /^zone "far away\.>": the worker's answer cannot be read: .*run the same release on both$/,
  );
});

test("[ZO1] a check that exceeds the payload limit of NATS fails with the sizes", async () => {
  await using zone = await startZone([]);
  const { agentBus } = zone;
  const check = { type: "legacy", path: "/bin/true", args: ["x".repeat(1_100_000)] } as const;
  const found = await agentOn(agentBus).run(zoneHostPlan(5_000, { check }));
  assert.match(found.output, /the check with its macros has 1100\d+ bytes, NATS accepts 1048576$/);
});

test("[ZO2] a stopping worker answers delivered checks and receives no new ones", async () => {
  await using zone = await startZone(["stops", "stays"]);
  const { agentBus, workers } = zone;
  const [stops, stays] = workers as [NatsBus, NatsBus];
  const end = workerOn(stops, "stops", async () => doneAnswer);
  workerOn(stays, "stays", async () => doneAnswer);
  await Promise.all(workers.map(flushed));
  const { run, ends } = agentOn(agentBus);
  const running = Array.from({ length: 50 }, () => run(zoneHostPlan(30_000)));
  end();
  await Promise.all(running);
  assert.ok(ends.every((how) => how === "done"));
  await flushed(stops);
  const after = await Promise.all(Array.from({ length: 20 }, () => run(zoneHostPlan(30_000))));
  assert.deepEqual([...new Set(after.map(({ source }) => source))], ["stays"]);
});
