import { auditVerifySubCommand } from "@realmwatch/shared/api/audit/audit-verify-command";
import { identitySubCommands } from "@realmwatch/shared/identity/sub-commands";
import type { SubCommand } from "@realmwatch/shared/platform/process/run-program";
import { acceptRestoreSubCommand } from "./accept-restore.ts";
import { backupSubCommand } from "./backup.ts";
import { blastRadiusSubCommand } from "./blast-radius.ts";
import { importIcinga2SubCommand } from "./import-icinga2.ts";
import { importNagiosSubCommand } from "./import-nagios.ts";
import { mailReportSubCommand } from "./notify/mail-report.ts";
import { notifyRouteSubCommand } from "./notify/notify-route.ts";
import { notifyTestSubCommand } from "./notify/notify-test.ts";
import { periodSubCommand } from "./period.ts";
import { simulateSubCommand } from "./simulate.ts";

/** Sub-commands of the agent's program by their names. */
export const agentSubCommands: Readonly<Record<string, SubCommand>> = {
  ...identitySubCommands,
  "audit-verify": auditVerifySubCommand,
  backup: backupSubCommand,
  "accept-restore": acceptRestoreSubCommand,
  period: periodSubCommand,
  "blast-radius": blastRadiusSubCommand,
  "notify-test": notifyTestSubCommand,
  "notify-route": notifyRouteSubCommand,
  "mail-report": mailReportSubCommand,
  simulate: simulateSubCommand,
  "import-nagios": importNagiosSubCommand,
  "import-icinga2": importIcinga2SubCommand,
};
