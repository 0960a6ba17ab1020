import { auditVerifyCommand } from "@realmwatch/shared/api/audit/audit-verify-command";
import { identitySubCommands } from "@realmwatch/shared/identity/sub-commands";
import type { SubCommand } from "@realmwatch/shared/platform/process/run-program";
import { backupCommand } from "./backup.ts";
import { blastRadiusCommand } from "./blast-radius.ts";
import { notifyRouteCommand } from "./notify-route.ts";
import { notifyTestCommand } from "./notify-test.ts";
import { periodCommand } from "./period.ts";
import { simulateCommand } from "./simulate.ts";

/** What the agent's program does beside being an agent, by the word on its command line. */
export const agentSubCommands: Readonly<Record<string, SubCommand>> = {
  ...identitySubCommands,
  "audit-verify": auditVerifyCommand,
  backup: backupCommand,
  period: periodCommand,
  "blast-radius": blastRadiusCommand,
  "notify-test": notifyTestCommand,
  "notify-route": notifyRouteCommand,
  simulate: simulateCommand,
};
