import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan } from "@realmwatch/shared/config/plan";
import { outcome } from "@realmwatch/shared/model/outcome";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/process/spawned-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { checkQueueGroup, checkSubject, realmInboxPrefix } from "@realmwatch/shared/wire/nats/nats-subjects";
import { createInbox } from "nats";
import { acceptOffers } from "./accept-offers.ts";
import type { CheckAnswer } from "./check-answer.ts";
import type { CheckOffer } from "./check-offer.ts";
import { whyUntrusted } from "./trusted-connection.ts";
import { createZoneCheckRunner, type ZoneCheckResult } from "./zone-check-runner.ts";

const zone = "far away.>";
const log = { info() {}, warn() {} };
const open = (url: string): NatsBus => openNatsBus({ url, credsFile: "", name: "test", clock: systemClock, log });
/** A nats-server that requires a login, which its URL contains. */
async function startLoginServer(): Promise<SpawnedServer> {
  const server = await startNatsServer(["--user", "ann", "--pass", "secret-word"]);
  // The URL is the only thing that differs; spreading would lose the accessor of the process id.
  return Object.defineProperty(server, "url", { value: server.url.replace("//", "//ann:secret-word@") });
}
const up = (bus: NatsBus): Promise<unknown> => new Promise((resolve) => bus.onUp(resolve));

const hostPlan = (timeoutMs: number, more: Partial<HostPlan> = {}): HostPlan =>
  ({
    ref: "web1",
    key: { kind: "host", name: "web1" },
    address: "192.0.2.1",
    about: { zone },
    vars: {},
    check: { type: "tcp", host: "192.0.2.1", port: 80 },
    schedule: { timeoutMs, maxAttempts: 3 },
    ...more,
  }) as unknown as HostPlan;

function agentOn(bus: NatsBus, realm = "fra") {
  const stopping = new AbortController();
  const ends: ZoneCheckResult[] = [];
  const offer = createZoneCheckRunner({
    bus: () => bus,
    clock: systemClock,
    realm,
    signal: stopping.signal,
    insecure: false,
    ended: (_zone, how) => void ends.push(how),
  });
  const run = (plan: HostPlan) =>
    offer(plan, { host: plan, realm: { commands: {}, resources: {} }, macro: () => undefined });
  return { run, ends, stopping };
}

const done: CheckAnswer = { kind: "done", outcome: outcome("ok", "fine"), executionMs: 5 };

function workerOn(bus: NatsBus, name: string, work: (offer: CheckOffer) => Promise<CheckAnswer>): () => void {
  return acceptOffers({
    bus,
    clock: systemClock,
    realm: "fra",
    zones: [zone],
    worker: name,
    log,
    insecure: false,
    work,
  });
}

/** Connected buses of an agent and of workers. */
async function setUp(server: SpawnedServer, names: readonly string[]) {
  const buses = [open(server.url), ...names.map(() => open(server.url))];
  await Promise.all(buses.map(up));
  const [agentBus, ...workers] = buses as [NatsBus, ...NatsBus[]];
  return { agentBus, workers, close: () => Promise.all(buses.map((bus) => bus.close())) };
}
const flushed = (bus: NatsBus | undefined): Promise<void> | undefined => bus?.live()?.flush();

test("[ZO1] an offer is run once, and the result has the worker's name as source", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["one", "two"]);
  const seen: CheckOffer[] = [];
  for (const [n, bus] of workers.entries())
    workerOn(bus, `box:${n}`, async (offer) => {
      seen.push(offer);
      return done;
    });
  await Promise.all(workers.map(flushed));
  const agent = agentOn(agentBus);
  const found = await agent.run(hostPlan(5_000));
  assert.deepEqual([found.status, found.output, found.executionMs], ["ok", "fine", 5]);
  assert.match(found.source ?? "", /^box:[01]$/);
  assert.deepEqual([seen.length, agent.ends], [1, ["done"]]);
  await close();
});

test("[ZO8] a worker of all realms shares their checks with a worker of one realm, and each check runs once", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["of all realms", "of fra"]);
  const runs: string[] = [];
  const workAs = (name: string) => async () => {
    runs.push(name);
    return done;
  };
  const [ofAll, ofFra] = workers as [NatsBus, NatsBus];
  acceptOffers({
    ...{ bus: ofAll, clock: systemClock, realm: undefined, zones: [zone], worker: "all", log, insecure: false },
    work: workAs("all"),
  });
  workerOn(ofFra, "fra", workAs("fra"));
  await Promise.all(workers.map(flushed));
  const ams = await agentOn(agentBus, "ams").run(hostPlan(5_000));
  assert.deepEqual([ams.status, ams.source, runs], ["ok", "all", ["all"]]);
  const fra = agentOn(agentBus);
  const results = await Promise.all(Array.from({ length: 20 }, () => fra.run(hostPlan(5_000))));
  assert.deepEqual([results.filter(({ status }) => status === "ok").length, runs.length], [20, 21]);
  await close();
});

test("[ZO2] a check declined by one worker is taken by another one", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["full", "free"]);
  const [full, free] = workers as [NatsBus, NatsBus];
  workerOn(full, "full", async () => ({ kind: "declined" }));
  workerOn(free, "free", async () => done);
  await Promise.all(workers.map(flushed));
  const { run } = agentOn(agentBus);
  const found = await Promise.all(Array.from({ length: 20 }, () => run(hostPlan(10_000))));
  assert.deepEqual([...new Set(found.map(({ source }) => source))], ["free"]);
  await close();
});

test("[ZO1] a check of a zone with only busy workers is unknown after its timeout", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["full"]);
  workerOn(workers[0] as NatsBus, "full", async () => ({ kind: "declined" }));
  await flushed(workers[0]);
  const { run, ends } = agentOn(agentBus);
  const found = await run(hostPlan(300));
  assert.equal(found.status, "unknown");
  assert.equal(
    found.output,
    'no worker of zone "far away.>" took the check within 300ms: all connected workers are busy',
  );
  assert.deepEqual(ends, ["not_taken"]);
  await close();
});

test("[ZO1] a worker that connects before the timeout receives the check", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["late"]);
  const { run } = agentOn(agentBus);
  const running = run(hostPlan(30_000));
  await flushed(agentBus);
  workerOn(workers[0] as NatsBus, "late", async () => done);
  const found = await running;
  assert.equal(found.source, "late");
  assert.ok((found.waitedMs ?? 0) > 0, "the waiting time is returned");
  await close();
});

test("[ZO1] a check of a worker that died is unknown at its deadline", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["dies"]);
  workerOn(workers[0] as NatsBus, "dies", () => new Promise(() => {}));
  await flushed(workers[0]);
  const { run, ends } = agentOn(agentBus);
  const found = await run(hostPlan(200));
  assert.deepEqual(
    [found.status, found.output],
    ["unknown", 'worker dies of zone "far away.>" took the check and did not answer within 1.2s'],
  );
  assert.deepEqual(ends, ["no_answer"]);
  await close();
});

test("[ZO6] a check offered to a hung worker is offered to another one", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["hangs", "works"]);
  const [hangs, works] = workers as [NatsBus, NatsBus];
  // Connected to the broker, but not responding.
  let offered = 0;
  hangs.subscribe(checkSubject("fra", zone), () => void offered++, { queue: checkQueueGroup });
  workerOn(works, "works", async () => done);
  await Promise.all(workers.map(flushed));
  const { run, ends } = agentOn(agentBus);
  const found = await Promise.all(Array.from({ length: 20 }, () => run(hostPlan(60_000))));
  assert.ok(offered > 0);
  assert.ok(found.every(({ source }) => source === "works"));
  assert.equal(ends.filter((how) => how === "done").length, 20);
  await close();
});

test("[ZO1] a check that runs while NATS restarts is offered again and completes", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["one"]);
  let offers = 0;
  const first = Promise.withResolvers<void>();
  workerOn(workers[0] as NatsBus, "one", async () => {
    offers += 1;
    first.resolve();
    // The first offer is never answered.
    return offers > 1 ? done : new Promise<CheckAnswer>(() => {});
  });
  await flushed(workers[0]);
  const running = agentOn(agentBus).run(hostPlan(60_000));
  await first.promise;
  await server.stop("SIGKILL");
  await server.restart();
  assert.equal((await running).status, "ok");
  assert.equal(offers, 2);
  await close();
});

test("[ZO1] an agent that stops interrupts checks that no worker has taken", async () => {
  await using server = await startLoginServer();
  const { agentBus, close } = await setUp(server, []);
  const { run, stopping, ends } = agentOn(agentBus);
  const running = run(hostPlan(60_000));
  await flushed(agentBus);
  stopping.abort();
  assert.equal((await running).status, "unknown");
  assert.deepEqual(ends, ["interrupted"]);
  await close();
});

test("[ZO5] with a worker of another release the output names the remedy", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["new"]);
  workers[0]?.subscribe(checkSubject("fra", zone), (message) => void message.respond('{"version":2,"kind":"done"}'));
  await flushed(workers[0]);
  const found = await agentOn(agentBus).run(hostPlan(5_000));
  assert.match(
    found.output,
    /^zone "far away\.>": the worker's answer cannot be read: .*run the same release on both$/,
  );
  await close();
});

test("[ZO1] a check that exceeds the payload limit of NATS fails with the sizes", async () => {
  await using server = await startLoginServer();
  const { agentBus, close } = await setUp(server, []);
  const check = { type: "legacy", path: "/bin/true", args: ["x".repeat(1_100_000)] } as const;
  const found = await agentOn(agentBus).run(hostPlan(5_000, { check }));
  assert.match(found.output, /the check with its macros has 1100\d+ bytes, NATS accepts 1048576$/);
  await close();
});

test("[ZO2] a stopping worker answers delivered checks and receives no new ones", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["stops", "stays"]);
  const [stops, stays] = workers as [NatsBus, NatsBus];
  const end = workerOn(stops, "stops", async () => done);
  workerOn(stays, "stays", async () => done);
  await Promise.all(workers.map(flushed));
  const { run, ends } = agentOn(agentBus);
  const running = Array.from({ length: 50 }, () => run(hostPlan(30_000)));
  end();
  await Promise.all(running);
  assert.ok(ends.every((how) => how === "done"));
  await flushed(stops);
  const after = await Promise.all(Array.from({ length: 20 }, () => run(hostPlan(30_000))));
  assert.deepEqual([...new Set(after.map(({ source }) => source))], ["stays"]);
  await close();
});

test("[ZO3] only a broker that requires a login is trusted, unless the operator permits others", () => {
  const via = (info: object, insecure = false): string =>
    whyUntrusted({ info: info as never, getServer: () => "127.0.0.1:4222" }, { insecure });
  assert.equal(via({ auth_required: true }), "");
  assert.equal(via({ auth_required: false, client_ip: "127.0.0.1" }, true), "");
  for (const info of [{}, { client_ip: "127.0.0.1" }, { client_ip: "::1", auth_required: false }])
    assert.match(via(info), /^NATS at 127\.0\.0\.1:4222 requires no login: .*-insecure-worker/);
});

test("[ZO3] agent and worker refuse checks over a broker without a login, on the loopback too", async () => {
  await using server = await startNatsServer();
  const { agentBus, workers, close } = await setUp(server, ["one"]);
  const bus = workers[0] as NatsBus;
  let runs = 0;
  workerOn(bus, "one", async () => {
    runs += 1;
    return done;
  });
  await flushed(bus);
  const found = await agentOn(agentBus).run(hostPlan(5_000));
  assert.match(found.output, /requires no login/);
  // An agent of another release that sends its check all the same is refused by the worker.
  const inbox = createInbox(realmInboxPrefix("fra"));
  const answers: string[] = [];
  agentBus.subscribe(inbox, (message) => answers.push(message.string()));
  agentBus.live()?.publish(checkSubject("fra", zone), "{}", { reply: inbox });
  await until("the worker refuses", () => answers.length > 0);
  assert.match(answers.join(), /"refused".*requires no login/);
  assert.equal(runs, 0);
  await close();
});

test("[ZO3] a worker answers only on an inbox of the realm's agent", async () => {
  await using server = await startLoginServer();
  const { agentBus, workers, close } = await setUp(server, ["one"]);
  let runs = 0;
  workerOn(workers[0] as NatsBus, "one", async () => {
    runs += 1;
    return done;
  });
  await flushed(workers[0]);
  const heard: string[] = [];
  agentBus.subscribe("svc.v1.state.>", ({ subject }) => heard.push(subject));
  agentBus.live()?.publish(checkSubject("fra", zone), "{}", { reply: "svc.v1.state.ams.host.d2ViMQ" });
  const found = await agentOn(agentBus).run(hostPlan(5_000));
  assert.deepEqual([found.status, runs, heard], ["ok", 1, []]);
  await close();
});
