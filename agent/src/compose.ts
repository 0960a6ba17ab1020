import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { writeCompileCache } from "@realmwatch/shared/platform/process/compile-cache";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type AgentCore, openAgentCore } from "./agent-core.ts";
import { registerAgentGauges } from "./agent-gauges.ts";
import { type AgentIntakes, openAgentIntakes } from "./agent-intakes.ts";
import type { Journal } from "./journal/journal.ts";
import { loadLateModules } from "./late-modules.ts";
import { startBurnAlerts } from "./service-levels/burn-alerts.ts";
import { startSnapshots } from "./snapshot-file.ts";
import { type PendingStart, readStartInputs, type StartInputs } from "./start-inputs.ts";
import { warnAtStart } from "./warn-at-start.ts";

/**
 * Times that running checks and requests, and then deliveries, have to end, ms. Deliveries are aborted `endMs` after the
 * beginning at the latest.
 */
type Graces = { readonly checksMs: number; readonly deliveriesMs: number; readonly endMs: number };
/** Graces of a stop, whose limit must not be reached. */
const stopGraces: Graces = { checksMs: 10_000, deliveriesMs: 10_000, endMs: 15_000 };
/** Graces of a hand-over: the other member runs the checks again, and repeats the deliveries that have not ended. */
const handOverGraces: Graces = { checksMs: 0, deliveriesMs: 1_500, endMs: 1_500 };

/** An agent that runs. */
export type RunningAgent = RunningProgram & {
  readonly core: AgentCore;
  readonly journal: Journal;
  /** Ends as quickly as a successor may wait, and leaves the port open, which is the host's. */
  handOver(): Promise<void>;
};

/** Builds and starts an agent in stages: inputs from disk, core, intakes, then checks and notifications. */
export async function runAgent(start: PendingStart): Promise<Result<RunningAgent, ProgramExit>> {
  const inputs = await readStartInputs(start);
  if (!inputs.ok) return inputs;
  const core = await openAgentCore(start, inputs.value);
  const intakes = await openAgentIntakes(start, inputs.value, core);
  if (intakes.ok) return ok(startDuty(start, { inputs: inputs.value, core, intakes: intakes.value }));
  await core.open.stop(0);
  await core.close(0);
  if (start.host === undefined) await core.bus?.close();
  await inputs.value.recovered.close();
  return cannotStart(`realmwatch-agent: ${intakes.error}`);
}

type Stages = { readonly inputs: StartInputs; readonly core: AgentCore; readonly intakes: AgentIntakes };

/** Starts checks and notifications and reports readiness. */
function startDuty(start: PendingStart, { inputs, core, intakes }: Stages): RunningAgent {
  const { flags, log, service, cueVersion, metrics, measured } = start;
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
  outbound.resume(recovered.kept.notifications);
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
  if (start.host === undefined) warnAtStart(flags, log);
  outbound.startHeartbeats();
  loadLateModules(plan, log);
  writeCompileCache();
  const end = async (graces: Graces): Promise<void> => {
    stopBurnAlerts();
    await endParts(start, { inputs, core, intakes }, { ...graces, endSnapshots });
  };
  return {
    core,
    journal: recovered.journal,
    reload() {
      core.port.reloadCertificate();
      core.sinks.reopen();
      void configuration.reload();
    },
    async stop() {
      log.info("stopping");
      service.stopping();
      await end(stopGraces);
    },
    handOver: () => end(handOverGraces),
  };
}

/** Ends the parts of an agent: first what brings in work, then what carries it out, at last what stores it. */
async function endParts(
  { host, metrics, loader }: PendingStart,
  { inputs: { recovered }, core, intakes }: Stages,
  { checksMs, deliveriesMs, endMs, endSnapshots }: Graces & { endSnapshots(): Promise<void> },
): Promise<void> {
  const startedMs = systemClock.monotonic();
  await intakes.commandFile.close();
  const closingPort = host === undefined ? core.port.close(checksMs) : undefined;
  await Promise.all([closingPort, core.open.stop(checksMs), intakes.alerts.close()]);
  await core.close(Math.max(0, Math.min(deliveriesMs, startedMs + endMs - systemClock.monotonic())));
  if (host === undefined) await core.bus?.close();
  else void recovered.journal.shareCursors();
  await endSnapshots();
  await intakes.close();
  await recovered.close();
  metrics.close();
  // A load may still run: its thread does not keep the process from ending.
  if (host === undefined) void loader.close();
}
