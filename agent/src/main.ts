import { checkProgramFlags } from "@realmwatch/shared/api/program-flags";
import { fail, ok } from "@realmwatch/shared/model/result";
import { cueVersion, version } from "@realmwatch/shared/model/version";
import { useCompileCache } from "@realmwatch/shared/platform/process/compile-cache";
import { runProgram } from "@realmwatch/shared/platform/process/run-program";
import { agentFlags, checkWorkerFlags } from "./flags.ts";
import { checkPairFlags } from "./pair/pair-flags.ts";

await runProgram({
  name: "realmwatch-agent",
  version,
  flags: agentFlags,
  subCommands: async () => (await import("./commands/agent-sub-commands.ts")).agentSubCommands,
  async usedCueVersion(flags) {
    const { findEvaluator } = await import("./check-config.ts");
    const evaluator = await findEvaluator(flags);
    return (evaluator.ok ? evaluator.value?.program.version : undefined) ?? cueVersion;
  },
  check(flags) {
    if (flags.lint && !flags.checkConfig) return fail("-lint is for -check-config: without it nothing is printed");
    const pair = checkPairFlags(flags);
    if (!pair.ok) return pair;
    if (flags.worker && !flags.checkConfig) return checkWorkerFlags(flags);
    if (flags.config === undefined) return fail("-config is needed: the document that says what to check");
    const checked = checkProgramFlags(flags);
    return checked.ok ? ok(undefined) : checked;
  },
  async start(flags) {
    if (flags.worker && !flags.checkConfig) {
      const { startZoneWorker } = await import("./worker/start-zone-worker.ts");
      return startZoneWorker(flags);
    }
    if (!flags.checkConfig) useCompileCache(flags.dataDir);
    const { startAgent } = await import("./start-agent.ts");
    return startAgent(flags);
  },
});
