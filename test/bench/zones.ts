import { openTestDependencies } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { ZoneWorker } from "@realmwatch/agent/worker/zone-worker";
import { acceptOffers } from "@realmwatch/agent/zones/accept-offers";
import type { CheckOffer } from "@realmwatch/agent/zones/check-offer";
import { createZoneCheckRunner } from "@realmwatch/agent/zones/zone-check-runner";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { HostPlan } from "@realmwatch/shared/config/plan";
import { outcome } from "@realmwatch/shared/model/outcome";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { benchPlan } from "./bench-plan.ts";
import type { BenchRow } from "./bench-row.ts";

const clock = systemClock;
const log = { info() {}, warn() {} };
const inFlight = 64;
const plugin: CheckSpec = { type: "legacy", path: "/bin/true", args: [] };

/** Opens an agent's and a worker's connection to one broker. The worker returns ok without a check until `real` returns true. */
async function openZone(url: string, real: () => boolean) {
  const open = (): NatsBus => openNatsBus({ url, credsFile: "", name: "bench", clock, log });
  const [agentBus, workerBus] = [open(), open()];
  await Promise.all([agentBus, workerBus].map((bus) => new Promise((up) => bus.onUp(up))));
  const tools = openTestDependencies();
  const fine = { ...outcome("ok", "the service answered in 12 ms as it should"), executionMs: 1 };
  const worker = new ZoneWorker({
    clock,
    places: { checks: 1024, programs: 64 },
    run: (plan, around) => (real() ? runCheck(plan, around, tools) : Promise.resolve(fine)),
    ended() {},
    declined() {},
  });
  const work = (offer: CheckOffer) => worker.work(offer);
  const stop = acceptOffers({
    bus: workerBus,
    clock,
    realm: "bench",
    zones: ["default"],
    worker: "bench",
    log,
    insecure: true,
    work,
  });
  await workerBus.live()?.flush();
  const { signal } = new AbortController();
  const run = createZoneCheckRunner({ bus: agentBus, clock, realm: "bench", signal, insecure: true, ended() {} });
  const close = async (): Promise<void> => {
    stop();
    await Promise.all([agentBus.close(), workerBus.close(), tools.close()]);
  };
  return { run, close };
}

/** Measures the rate of checks run by a worker, with agent, broker and worker on one machine. */
export async function benchZones(): Promise<BenchRow[]> {
  await using server = await startNatsServer();
  let real = false;
  const { run, close } = await openZone(server.url, () => real);
  const values: Readonly<Record<string, string>> = { HOSTSTATE: "UP", HOSTOUTPUT: "a value", HOSTATTEMPT: "1" };
  const realm = { commands: {}, resources: {} };
  const rate = async (check: CheckSpec, count: number): Promise<number> => {
    const host = { ...(benchPlan(1).objects.get("host-0") as HostPlan), check };
    let left = count;
    const startedMs = performance.now();
    const sender = async (): Promise<void> => {
      while (left-- > 0) await run(host, { host, realm, macro: (name) => values[name] });
    };
    await Promise.all(Array.from({ length: inFlight }, sender));
    return count / ((performance.now() - startedMs) / 1000);
  };
  const tcp: CheckSpec = { type: "tcp", host: "127.0.0.1", port: server.port };
  await rate(tcp, 5_000);
  const roundTrip = await rate(tcp, 20_000);
  real = true;
  const rows = { "zone: tcp": await rate(tcp, 10_000), "zone: plugin": await rate(plugin, 2_000) };
  await close();
  const note = `${inFlight} in flight, both ends in one process`;
  return Object.entries({ "zone: round trip without check": roundTrip, ...rows }).map(([name, rate]) => ({
    name,
    rate,
    unit: "checks/s",
    note,
  }));
}
