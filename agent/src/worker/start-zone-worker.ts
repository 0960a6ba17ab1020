import { hostname } from "node:os";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import { openProgramPorts } from "@realmwatch/shared/api/program-ports";
import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { buildCommit, version } from "@realmwatch/shared/model/version";
import { warnOfExposedSecrets } from "@realmwatch/shared/platform/flags/exposed-secrets";
import { allowedHosts } from "@realmwatch/shared/platform/http/host-header";
import { type Log, openLog } from "@realmwatch/shared/platform/log/log";
import { type Metrics, openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsCredentialFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { maxCheckPrograms, openCheckRunner } from "../check-runner.ts";
import { checkMetrics } from "../checks/check-metrics.ts";
import { type AgentFlags, agentFlags, defaultRealm } from "../flags.ts";
import { acceptOffers } from "../zones/accept-offers.ts";
import { whyUntrusted } from "../zones/trusted-connection.ts";
import { ZoneWorker } from "./zone-worker.ts";

/** Time that running checks have to complete when the worker stops, ms. */
const stopGraceMs = 10_000;

/** Starts the program as a worker of zones: without configuration, data directory and state. */
export async function startZoneWorker(flags: AgentFlags): Promise<Result<RunningProgram, ProgramExit>> {
  const { natsUrl, zones, insecureWorker: insecure } = flags;
  const realm = flags.realm === defaultRealm ? undefined : flags.realm;
  if (natsUrl === undefined) return cannotStart("realmwatch-agent: -worker needs -nats-url");
  const clock = systemClock;
  const log = await openLog({ level: flags.logLevel, format: flags.logFormat });
  warnOfExposedSecrets(agentFlags, log);
  if (flags.config !== undefined) log.warn("-config is ignored: a worker receives its checks from the realm's agent");
  // The process id distinguishes several workers on one machine.
  const worker = `${hostname()}:${process.pid}`;
  const bus = openNatsBus({
    url: natsUrl.reveal(),
    ...natsCredentialFiles(flags),
    name: `realmwatch-worker ${realm ?? "*"} ${zones.join(",")}`,
    clock,
    log,
  });
  const metrics = openMetrics({ version, commit: buildCommit });
  const { checks, zoneWorker } = openChecks(flags, { clock, metrics, bus });
  const closeAll = async (): Promise<void> => {
    // In this order: interrupted checks are still answered.
    await checks.close();
    await bus.close();
  };
  // Health, readiness and metrics, but no API and no dashboard.
  const server = await openProgramPorts({
    ...{ flags, clock, log, metrics, allowedHosts: allowedHosts(flags.allowedHosts, flags.publicUrl) },
    livenessError: () => undefined,
    dependencies: () => [natsDependency(bus, insecure)],
  });
  if (!server.ok) {
    await closeAll();
    return cannotStart(`realmwatch-agent: ${server.error}`);
  }
  const stopTaking = acceptOffers({
    bus,
    clock,
    realm,
    zones,
    worker,
    log,
    insecure,
    work: (offer) => zoneWorker.work(offer),
  });
  log.info({ realm: realm ?? "all", zones, worker, address: server.value.url }, "worker is ready");
  return ok({
    reload() {
      server.value.reloadCertificate();
      logNothingToReload(log);
    },
    async stop() {
      log.info("stopping");
      stopTaking();
      await Promise.all([zoneWorker.stop(stopGraceMs), server.value.close(stopGraceMs)]);
      await closeAll();
      metrics.close();
    },
  });
}

/** Opens the runner of checks and the worker that offers it its places. */
function openChecks(
  flags: AgentFlags,
  { clock, metrics, bus }: { readonly clock: Clock; readonly metrics: Metrics; readonly bus: NatsBus },
) {
  const outbound = outboundPolicyOf(flags, { demo: flags.configProfile === "demo" });
  const checks = openCheckRunner({ outbound, metrics });
  const places = { checks: flags.maxConcurrentChecks, programs: maxCheckPrograms };
  const ended = checkMetrics(metrics);
  const declined = metrics.counter({
    name: "checks_declined_total",
    help: "Checks declined because no slot was free.",
  });
  const zoneWorker = new ZoneWorker({
    clock,
    places,
    run: checks.run,
    ended: (type, run) => ended(type, run, run.executionMs),
    declined: () => declined.inc(),
  });
  metrics.observableGauges({
    checks_in_flight: ["Checks that are running.", () => zoneWorker.running],
    check_places: ["Maximum number of concurrent checks.", () => places.checks],
    nats_connected: [
      "1 while checks can be received from NATS, else 0.",
      () => Number(natsDependency(bus, flags.insecureWorker).ok),
    ],
  });
  return { checks, zoneWorker };
}

const logNothingToReload = (log: Log): void =>
  log.info("no configuration to reload: a worker receives complete checks from the realm's agent");

/** State of the connection to NATS, without which a worker receives no checks. */
function natsDependency(bus: NatsBus, insecure: boolean): DependencyStatus {
  const connection = bus.live();
  const trouble = connection === undefined ? bus.connectionError() : whyUntrusted(connection, { insecure });
  return { name: "nats", ok: trouble === "", needed: true, detail: trouble || "connected" };
}
