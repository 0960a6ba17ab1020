import { fail, type Result } from "@realmwatch/shared/model/result";
import { type Log, openLog } from "@realmwatch/shared/platform/log/log";
import type { Exit, Running } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkConfiguration, loadConfiguration } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import type { JournalOptions } from "./journal/journal.ts";
import { openKeptJournal } from "./kept-journal.ts";
import { finishServedFile } from "./platform/files/text-file.ts";
import { openServiceManager, type ServiceManager } from "./service-manager.ts";

/** What is under way when the rest of the program is loaded: what takes longest, on threads of its own. */
export type Begun = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly service: ServiceManager;
  readonly loading: ReturnType<typeof loadConfiguration>;
  readonly opening: ReturnType<typeof openKeptJournal>;
  /** What the journal asks of a realm, for whoever makes the realm to answer. */
  readonly journalAsks: JournalAsks;
};
type JournalAsks = { -readonly [K in "onSync" | "refsMatching"]: NonNullable<JournalOptions[K]> };

/** Starts the agent, or does what the flags ask for instead and ends. */
export async function startAgent(flags: AgentFlags): Promise<Result<Running, Exit>> {
  const clock = systemClock;
  if (flags.checkConfig) return fail(await checkConfiguration(flags, clock));
  const log = openLog({ level: flags.logLevel, format: flags.logFormat });
  // Before anything is started that could inherit what is for this process alone.
  const service = openServiceManager({ env: process.env, pid: process.pid, clock });
  await finishServedFile(flags.config ?? "");
  const asked = Promise.withResolvers<void>();
  const loading = loadConfiguration(flags, clock, { early: { asked: asked.resolve } });
  const journalAsks: JournalAsks = { onSync() {}, refsMatching: () => [] };
  const opening = openKeptJournal(
    {
      dataDir: flags.dataDir,
      realm: flags.realm,
      historyRetentionMs: flags.historyRetention,
      auditRetentionMs: flags.auditRetention,
      clock,
      onSync: (ms) => journalAsks.onSync(ms),
      refsMatching: (selector) => journalAsks.refsMatching(selector),
    },
    log,
  );
  // The modules of everything else hold this thread for a while, in which it could not read the document either.
  await Promise.race([asked.promise, loading]);
  const { runAgent } = await import("./compose.ts");
  return runAgent({ flags, log, service, loading, opening, journalAsks });
}
