import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { writeCompileCache } from "@realmwatch/shared/platform/process/compile-cache";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type AgentCore, openAgentCore } from "./agent-core.ts";
import { registerAgentGauges } from "./agent-gauges.ts";
import { type AgentIntakes, openAgentIntakes } from "./agent-intakes.ts";
import { startBurnAlerts } from "./service-levels/burn-alerts.ts";
import { startSnapshots } from "./snapshot-file.ts";
import { type PendingStart, readStartInputs, type StartInputs } from "./start-inputs.ts";

/** Time that running checks and requests have to end when the agent stops, ms. */
const stopGraceMs = 10_000;
/** Time from the beginning of a stop at which deliveries are aborted, ms: the limit of a stop must not be reached. */
const deliveriesEndMs = 15_000;

/** Builds and starts an agent in stages: inputs from disk, core, intakes, then checks and notifications. */
export async function runAgent(start: PendingStart): Promise<Result<RunningProgram, ProgramExit>> {
  const inputs = await readStartInputs(start);
  if (!inputs.ok) return inputs;
  const core = await openAgentCore(start, inputs.value);
  const intakes = await openAgentIntakes(start, inputs.value, core);
  if (intakes.ok) return ok(startDuty(start, { inputs: inputs.value, core, intakes: intakes.value }));
  await core.open.stop(0);
  await core.close(0);
  await core.bus?.close();
  await inputs.value.recovered.close();
  return cannotStart(`realmwatch-agent: ${intakes.error}`);
}

type Stages = { readonly inputs: StartInputs; readonly core: AgentCore; readonly intakes: AgentIntakes };

/** Starts checks and notifications and reports readiness. */
function startDuty(
  { flags, log, service, cueVersion, metrics, measured }: PendingStart,
  { inputs, core, intakes }: Stages,
): RunningProgram {
  const { plan, recovered } = inputs;
  const { open, outbound } = core;
  const { address, configuration, livenessError } = intakes;
  const { maxConcurrentChecks } = flags;
  registerAgentGauges(metrics, { open, recovered, port: core.port, auditLost: intakes.auditLost, maxConcurrentChecks });
  const endSnapshots = startSnapshots({
    path: flags.snapshotOut,
    intervalMs: flags.snapshotInterval,
    open,
    clock: systemClock,
    log,
    metrics,
  });
  // Notifications recovered from the journal are sent before those that the start decides.
  outbound.notify(recovered.kept.notifications);
  open.start();
  const stopBurnAlerts = startBurnAlerts({
    realm: open.realm,
    serviceLevels: core.serviceLevels,
    submitResult: (ref, result) => open.inputs.submitResult(ref, result),
    clock: systemClock,
  });
  measured.reloaded(true, systemClock.now());
  service.ready(`realm ${flags.realm}, ${address.address}:${address.port}`, livenessError);
  log.info({ realm: flags.realm, address: address.url, cueVersion, ...countObjects(plan) }, "agent is ready");
  outbound.startHeartbeats();
  writeCompileCache();
  return {
    reload() {
      core.port.reloadCertificate();
      core.sinks.reopen();
      void configuration.reload();
    },
    async stop() {
      log.info("stopping");
      const endsAtMs = systemClock.monotonic() + deliveriesEndMs;
      service.stopping();
      stopBurnAlerts();
      await intakes.commandFile.close();
      await Promise.all([core.port.close(stopGraceMs), open.stop(stopGraceMs), intakes.alerts.close()]);
      await core.close(Math.min(stopGraceMs, endsAtMs - systemClock.monotonic()));
      await core.bus?.close();
      await endSnapshots();
      await intakes.close();
      await recovered.close();
      metrics.close();
    },
  };
}
