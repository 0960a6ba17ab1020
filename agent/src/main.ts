import { checkProgramFlags } from "@realmwatch/shared/api/program-flags";
import { runProgram } from "@realmwatch/shared/tools/run-program";
import { fail, ok } from "@realmwatch/shared/words/result";
import { version } from "@realmwatch/shared/words/version";
import { agentSubCommands } from "./commands/agent-sub-commands.ts";
import { startAgent } from "./compose.ts";
import { agentFlags } from "./flags.ts";
import { checkWorkerFlags, startWorker } from "./worker/start-worker.ts";

await runProgram({
  name: "realmwatch-agent",
  version,
  flags: agentFlags,
  subCommands: agentSubCommands,
  check(flags) {
    if (flags.lint && !flags.checkConfig) return fail("-lint is for -check-config: without it nothing is printed");
    if (flags.worker && !flags.checkConfig) return checkWorkerFlags(flags);
    if (flags.config === undefined) return fail("-config is needed: the document that says what to check");
    const checked = checkProgramFlags(flags);
    return checked.ok ? ok(undefined) : checked;
  },
  start: (flags) => (flags.worker && !flags.checkConfig ? startWorker(flags) : startAgent(flags)),
});
