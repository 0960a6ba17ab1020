import type { HostPlan } from "@realmwatch/shared/config/plan";
import { outcome } from "@realmwatch/shared/model/outcome";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { acceptOffers } from "./accept-offers.ts";
import type { CheckAnswer } from "./check-answer.ts";
import type { CheckOffer } from "./check-offer.ts";
import { createZoneCheckRunner, type ZoneCheckResult } from "./zone-check-runner.ts";

/** Zone of the host and of the workers. */
export const testZone = "far away.>";
const log = { info() {}, warn() {} };
const open = (url: string): NatsBus => openNatsBus({ url, credsFile: "", name: "test", clock: systemClock, log });

/** nats-server that requires a login, which its URL contains. */
async function startLoginServer(): Promise<SpawnedServer> {
  const server = await startNatsServer(["--user", "ann", "--pass", "secret-word"]);
  // The URL is the only thing that differs; spreading would lose the accessor of the process id.
  return Object.defineProperty(server, "url", { value: server.url.replace("//", "//ann:secret-word@") });
}

const connected = (bus: NatsBus): Promise<unknown> => new Promise((resolve) => bus.onUp(resolve));

/** Plan of the host `web1` of that zone. */
export const zoneHostPlan = (timeoutMs: number, more: Partial<HostPlan> = {}): HostPlan =>
  ({
    ref: "web1",
    key: { kind: "host", name: "web1" },
    address: "192.0.2.1",
    about: { zone: testZone },
    vars: {},
    check: { type: "tcp", host: "192.0.2.1", port: 80 },
    schedule: { timeoutMs, maxAttempts: 3 },
    ...more,
  }) as unknown as HostPlan;

/** Runner of an agent, and how its offers ended. */
export function agentOn(bus: NatsBus, realm = "fra", epoch?: number) {
  const stopping = new AbortController();
  const ends: ZoneCheckResult[] = [];
  const offer = createZoneCheckRunner({
    bus,
    clock: systemClock,
    realm,
    epoch,
    signal: stopping.signal,
    insecure: false,
    ended: (_zone, how) => void ends.push(how),
  });
  const run = (plan: HostPlan) =>
    offer(plan, { host: plan, realm: { commands: {}, resources: {} }, macro: () => undefined });
  return { run, ends, stopping };
}

/** Answer of a worker that ran the check. */
export const doneAnswer: CheckAnswer = { kind: "done", outcome: outcome("ok", "fine"), executionMs: 5 };

/** Starts a worker of the realm `fra`. Returns the function that ends it. */
export function workerOn(bus: NatsBus, name: string, work: (offer: CheckOffer) => Promise<CheckAnswer>): () => void {
  return acceptOffers({
    bus,
    clock: systemClock,
    realm: "fra",
    zones: [testZone],
    worker: name,
    log,
    insecure: false,
    work,
  });
}

/**
 * Starts a nats-server that requires a login, unless another one is given, and connects the buses of an agent and of
 * workers. Disposal closes them and stops the server.
 */
export async function startZone(names: readonly string[], given?: SpawnedServer) {
  const server = given ?? (await startLoginServer());
  const buses = [open(server.url), ...names.map(() => open(server.url))];
  await Promise.all(buses.map(connected));
  const [agentBus, ...workers] = buses as [NatsBus, ...NatsBus[]];
  return {
    server,
    agentBus,
    workers,
    async [Symbol.asyncDispose]() {
      await Promise.all(buses.map((bus) => bus.close()));
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Resolves when the server has all that the bus sent, such as its subscriptions. */
export const flushed = (bus: NatsBus | undefined): Promise<void> | undefined => bus?.live()?.flush();
