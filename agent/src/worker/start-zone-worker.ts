import { hostname } from "node:os";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { type Log, openLog } from "@realmwatch/shared/platform/log/log";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { AgentFlags } from "../flags.ts";
import { maxPrograms, openCheckRunner } from "../check-runner.ts";
import { acceptOffers } from "../zones/accept-offers.ts";
import { whyUntrusted } from "../zones/trusted-connection.ts";
import { workerMetrics } from "./worker-metrics.ts";
import { openWorkerServer } from "./worker-server.ts";
import { ZoneWorker } from "./zone-worker.ts";

/** How long running checks may take to end when the worker stops, ms. */
const stopGraceMs = 10_000;

/** Starts the program as a worker of zones: no configuration, no data directory, no state. */
export async function startZoneWorker(flags: AgentFlags): Promise<Result<RunningProgram, ProgramExit>> {
  const { natsUrl, realm, zones } = flags;
  if (natsUrl === undefined) return cannotStart("realmwatch-agent: -worker needs -nats-url");
  const clock = systemClock;
  const log = openLog({ level: flags.logLevel, format: flags.logFormat });
  if (flags.config !== undefined) log.warn("-config is not read: a worker gets its checks from the realm's agent");
  // Several workers may run on a machine; people look for the machine first.
  const worker = `${hostname()}:${process.pid}`;
  const bus = openNatsBus({
    url: natsUrl.reveal(),
    credsFile: flags.natsCreds ?? "",
    name: `realmwatch-worker ${realm} ${zones.join(",")}`,
    clock,
    log,
  });
  const metrics = openMetrics({ program: "worker", version });
  const checks = openCheckRunner();
  const places = { checks: flags.maxConcurrentChecks, programs: maxPrograms };
  const measured = workerMetrics(metrics, {
    running: () => zoneWorker.running,
    places: () => places.checks,
    natsUp: () => natsDependency(bus).ok,
  });
  const zoneWorker = new ZoneWorker({
    clock,
    places,
    run: checks.run,
    ended: (type, run) => measured.ended(type, run, run.executionMs),
    declined: measured.declined,
  });
  const closeAll = async (): Promise<void> => {
    // In this order: what is broken off here is still told to its agent.
    await checks.close();
    await bus.close();
  };
  const door = await openWorkerServer({ flags, clock, log, metrics, dependencies: () => [natsDependency(bus)] });
  if (!door.ok) {
    await closeAll();
    return cannotStart(`realmwatch-agent: ${door.error}; choose another address with -listen`);
  }
  const stopTaking = acceptOffers({ bus, clock, realm, zones, worker, log, work: (offer) => zoneWorker.work(offer) });
  log.info({ realm, zones, worker, address: `http://${door.value.address}:${door.value.port}` }, "worker is ready");
  return ok({
    reload: () => sayNothingToReload(log),
    async stop() {
      log.info("stopping");
      stopTaking();
      await Promise.all([zoneWorker.stop(stopGraceMs), door.value.close(stopGraceMs)]);
      await closeAll();
      metrics.close();
    },
  });
}

const sayNothingToReload = (log: Log): void =>
  log.info("nothing to reload: a worker gets each check whole from the realm's agent");

/** Without NATS a worker has nothing to do. */
function natsDependency(bus: NatsBus): DependencyStatus {
  const connection = bus.live();
  const trouble = connection === undefined ? bus.connectionError() : whyUntrusted(connection);
  return { name: "nats", ok: trouble === "", needed: true, detail: trouble || "connected" };
}
