import { anonymousCallLimiter } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import { registerAuditCounters } from "@realmwatch/shared/audit/audit-counters";
import { auditGapRecord, auditQueue } from "@realmwatch/shared/audit/audit-queue";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { PortServer } from "@realmwatch/shared/platform/http/port-server";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { AgentCore } from "./agent-core.ts";
import { openAgentServer } from "./agent-server.ts";
import { type AlertReceivers, openAlertReceivers } from "./alert-receivers.ts";
import { CommandIntake } from "./api/command-intake.ts";
import { CommandLimits } from "./api/command-limits.ts";
import { countedAudit } from "./api/counted-audit.ts";
import { openCommandFile } from "./command-file.ts";
import type { ActiveConfiguration } from "./realm/reload/active-configuration.ts";
import type { PlanSwapResult } from "./realm/reload/swap-plan.ts";
import { serveConfiguration } from "./served-configuration.ts";
import type { PendingStart, StartInputs } from "./start-inputs.ts";

/** Everything through which requests reach an agent: port, command file, NATS and the configuration. */
export type AgentIntakes = {
  readonly server: PortServer;
  readonly configuration: ActiveConfiguration;
  /** Number of audit records that are lost: at the last start, or since. */
  auditLost(): number;
  /** Reason why the engine counts as hung; undefined while it runs. */
  livenessError(): string | undefined;
  readonly commandFile: { close(): Promise<void> };
  readonly alerts: Pick<AlertReceivers, "close">;
  /** Writes the audit records that wait; call it last. */
  close(): Promise<void>;
};

/** Time without a round after which the realm loop counts as hung, ms. */
const idleLimitMs = 10_000;

/** Opens the intakes of an agent. Fails with a sentence, and then leaves none of them open. */
export async function openAgentIntakes(
  { flags, log, cueVersion, metrics, measured }: PendingStart,
  { auth, document, recovered }: StartInputs,
  core: AgentCore,
): Promise<Result<AgentIntakes, string>> {
  const clock = systemClock;
  const { journal, restoredCopy } = recovered;
  const { model, open, instances, link } = core;
  const { queue, audit, lost, commandJournal } = openAudit(recovered, metrics);
  const intake = new CommandIntake({
    ...{ clock, limits: new CommandLimits(open.realm), inputs: open.inputs },
    journal: commandJournal,
  });
  const configuration = serveConfiguration({
    flags,
    document,
    log,
    reloaded: measured.reloaded,
    evaluated: measured.configEvaluated,
    swap: (next) => swapPlan(core, next),
  });
  const commandFile = openCommandFile({ path: flags.commandFile, open, intake, audit, clock, log, metrics });
  if (!commandFile.ok) return commandFile;
  const livenessError = (): string | undefined =>
    open.loop.idleMs > idleLimitMs ? "the engine has not run for 10 s" : undefined;
  const alerts = await openAlertReceivers({
    ...{ flags, realm: open.realm, intake, audit, clock, log, metrics },
    hasIdentities: auth !== undefined,
  });
  const server = await openAgentServer({
    ...{ flags, clock, log, metrics, auth, audit, model, open, journal, intake, configuration, livenessError },
    ...{ instances, restoredCopy },
    uploads: alerts.uploads,
    publisher: link?.publisher,
    cueVersion,
    serviceLevels: core.serviceLevels,
    metricQueries: core.metricQueries,
  });
  if (!server.ok) {
    await Promise.all([commandFile.value.close(), alerts.close()]);
    return server;
  }
  link?.serveCalls(server.value);
  return ok({
    server: server.value,
    configuration,
    auditLost: lost,
    livenessError,
    commandFile: commandFile.value,
    alerts,
    async close() {
      await audit.close();
      await queue.close();
    },
  });
}

/** Makes another plan the active one, also for what is outside of the realm. */
async function swapPlan({ open, outbound, sinks, recording }: AgentCore, next: RealmPlan): Promise<PlanSwapResult> {
  const swapped = await open.swap(next);
  outbound.reload();
  void sinks.configure(next);
  void recording.configure(next);
  return swapped;
}

/** Opens the audit log. Its first record says how many are missing since the last start. */
function openAudit({ journal, kept }: StartInputs["recovered"], metrics: Metrics) {
  const clock = systemClock;
  const { lostAudit = 0, logGone: orMore = false } = kept.missing ?? {};
  const queue = auditQueue({ disk: journal, clock });
  if (lostAudit > 0 || orMore) void queue.add(auditGapRecord({ lost: lostAudit, orMore }, clock.now()));
  const commandJournal = countedAudit({ accept: (...command) => journal.accept(...command) });
  registerAuditCounters(metrics, [queue, commandJournal]);
  const audit = anonymousCallLimiter({ audit: queue, clock });
  return { queue, audit, commandJournal, lost: () => lostAudit + queue.lost() };
}
