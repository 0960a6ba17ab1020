import { auditVerifySubCommand } from "@realmwatch/shared/api/audit/audit-verify-command";
import { checkProgramFlags } from "@realmwatch/shared/api/program-flags";
import { identitySubCommands } from "@realmwatch/shared/identity/sub-commands";
import { version } from "@realmwatch/shared/model/version";
import { runProgram } from "@realmwatch/shared/platform/process/run-program";
import { startAggregator } from "./compose.ts";
import { aggregatorFlags, checkAggregatorFlags } from "./flags.ts";

await runProgram({
  name: "realmwatch-aggregator",
  version,
  flags: aggregatorFlags,
  subCommands: async () => ({
    ...identitySubCommands,
    "audit-verify": auditVerifySubCommand,
    ...(await import("./commands/nats-sub-commands.ts")).natsSubCommands,
  }),
  check(flags) {
    const checked = checkProgramFlags(flags);
    return checked.ok ? checkAggregatorFlags(flags) : checked;
  },
  start: startAggregator,
});
