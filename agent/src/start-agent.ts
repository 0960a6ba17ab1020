import { openLoader } from "@realmwatch/shared/load/load-document";
import { fail, type Result } from "@realmwatch/shared/model/result";
import { cueVersion } from "@realmwatch/shared/model/version";
import { warnOfExposedSecrets } from "@realmwatch/shared/platform/flags/exposed-secrets";
import { openLog } from "@realmwatch/shared/platform/log/log";
import type { ProgramExit, RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { openServiceManager } from "@realmwatch/shared/platform/process/service-manager";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkConfiguration, findEvaluator, loadConfigurationWithSource, unusableEvaluator } from "./check-config.ts";
import { type AgentFlags, agentFlags } from "./flags.ts";
import { terminalOfStderr } from "./load-progress/progress-line.ts";
import { finishInterruptedReplace } from "./platform/files/text-file.ts";
import { openRecoveredJournal } from "./recovered-journal.ts";

/** Starts the agent, or runs `-check-config` and ends. */
export async function startAgent(flags: AgentFlags): Promise<Result<RunningProgram, ProgramExit>> {
  const clock = systemClock;
  if (flags.checkConfig) return fail(await checkConfiguration(flags, clock, terminalOfStderr()));
  const evaluator = await findEvaluator(flags);
  if (!evaluator.ok) return fail(unusableEvaluator(evaluator.error));
  const log = await openLog({ level: flags.logLevel, format: flags.logFormat });
  warnOfExposedSecrets(agentFlags, log);
  for (const each of evaluator.value?.program.passedOver ?? [])
    log.warn({ reason: each }, "-cue-command auto passed over a cue");
  // The manager's variables leave the environment before a child process could inherit them.
  const service = openServiceManager({ env: process.env, pid: process.pid, clock });
  await finishInterruptedReplace(flags.config ?? "");
  const requested = Promise.withResolvers<void>();
  const loadingSinceMs = clock.monotonic();
  const loader = openLoader(clock);
  const loading = loadConfigurationWithSource(flags, clock, { loader, eager: true, onRequestSent: requested.resolve });
  const usedCueVersion = evaluator.value?.program.version ?? cueVersion;
  if (flags.pair !== undefined) {
    const { startPairMember } = await import("./pair/start-pair.ts");
    return startPairMember({ flags, log, service, loading, loader, cueVersion: usedCueVersion });
  }
  // Loading other modules blocks this thread, so the document is requested first, and the journal opened before the most.
  await Promise.race([requested.promise, loading]);
  const { openAgentMetrics } = await import("./agent-metrics.ts");
  const { metrics, measured } = openAgentMetrics();
  const opening = openRecoveredJournal(
    {
      dataDir: flags.dataDir,
      realm: flags.realm,
      historyRetentionMs: flags.historyRetention,
      auditRetentionMs: flags.auditRetention,
      clock,
      onSync: measured.synced,
    },
    log,
  );
  const { runAgent } = await import("./compose.ts");
  return runAgent({
    flags,
    log,
    service,
    loading,
    loader,
    loadingSinceMs,
    opening,
    metrics,
    measured,
    cueVersion: usedCueVersion,
  });
}
