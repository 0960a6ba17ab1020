import { fail, type Result } from "@realmwatch/shared/model/result";
import { type Log, openLog } from "@realmwatch/shared/platform/log/log";
import type { ProgramExit, RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkConfiguration, loadConfiguration } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import type { JournalOptions } from "./journal/journal.ts";
import { openRecoveredJournal } from "./recovered-journal.ts";
import { finishInterruptedReplace } from "./platform/files/text-file.ts";
import { openServiceManager, type ServiceManager } from "./service-manager.ts";

/** Start in progress: the slowest steps run on threads of their own while the other modules are loaded. */
export type PendingStart = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly service: ServiceManager;
  readonly loading: ReturnType<typeof loadConfiguration>;
  readonly opening: ReturnType<typeof openRecoveredJournal>;
  /** Callbacks of the journal; `compose.ts` replaces them once the realm is open. */
  readonly journalCallbacks: JournalCallbacks;
};
type JournalCallbacks = { -readonly [K in "onSync" | "refsMatching"]: NonNullable<JournalOptions[K]> };

/** Starts the agent, or runs `-check-config` and ends. */
export async function startAgent(flags: AgentFlags): Promise<Result<RunningProgram, ProgramExit>> {
  const clock = systemClock;
  if (flags.checkConfig) return fail(await checkConfiguration(flags, clock));
  const log = openLog({ level: flags.logLevel, format: flags.logFormat });
  // The manager's variables leave the environment before a child process could inherit them.
  const service = openServiceManager({ env: process.env, pid: process.pid, clock });
  await finishInterruptedReplace(flags.config ?? "");
  const asked = Promise.withResolvers<void>();
  const loading = loadConfiguration(flags, clock, { early: { asked: asked.resolve } });
  const journalCallbacks: JournalCallbacks = { onSync() {}, refsMatching: () => [] };
  const opening = openRecoveredJournal(
    {
      dataDir: flags.dataDir,
      realm: flags.realm,
      historyRetentionMs: flags.historyRetention,
      auditRetentionMs: flags.auditRetention,
      clock,
      onSync: (ms) => journalCallbacks.onSync(ms),
      refsMatching: (selector) => journalCallbacks.refsMatching(selector),
    },
    log,
  );
  // Loading the other modules blocks this thread, so the document is requested first.
  await Promise.race([asked.promise, loading]);
  const { runAgent } = await import("./compose.ts");
  return runAgent({ flags, log, service, loading, opening, journalCallbacks });
}
