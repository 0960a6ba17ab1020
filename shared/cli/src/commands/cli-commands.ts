import type { CliCommand } from "../cli-command.ts";
import { explainCliCommand } from "../explain/explain-command.ts";
import { auditCliCommand } from "./audit.ts";
import { capacityCliCommand } from "./capacity/capacity.ts";
import { addCommentCliCommand, removeCommentCliCommand } from "./comment.ts";
import { completionCliCommand } from "./completion/completion.ts";
import { applyConfigCliCommand } from "./config/config-apply.ts";
import { periodCliCommand, validateConfigCliCommand } from "./config/config-local.ts";
import { diffConfigCliCommand, getConfigCliCommand } from "./config/config-served.ts";
import { simulateCliCommand } from "./config/config-simulate.ts";
import { auditVerifyCliCommand, backupCliCommand } from "./data-local.ts";
import { addDowntimeCliCommand } from "./downtime/downtime-add.ts";
import { listDowntimesCliCommand } from "./downtime/downtime-list.ts";
import { removeDowntimeCliCommand } from "./downtime/downtime-rm.ts";
import { handoverCliCommand } from "./handover.ts";
import { helpCliCommand } from "./help.ts";
import { historyCliCommand } from "./history.ts";
import { importIcinga2CliCommand, importNagiosCliCommand } from "./import-configuration.ts";
import { loginCliCommand, logoutCliCommand } from "./login.ts";
import { metricsCliCommand } from "./metrics.ts";
import { addNoteCliCommand, listNotesCliCommand } from "./note.ts";
import { notifyRouteCliCommand } from "./notify/notify-route.ts";
import { notifyTestCliCommand } from "./notify/notify-test.ts";
import { objectsCliCommand } from "./objects.ts";
import { pairCliCommand, promotePairCliCommand, switchPairCliCommand } from "./pair/pair.ts";
import { realmsCliCommand } from "./realms.ts";
import { reportCliCommand } from "./service-levels/report.ts";
import { sloCliCommand } from "./service-levels/slo.ts";
import { shadowCliCommand } from "./shadow/shadow.ts";
import { statusCliCommand } from "./status/status.ts";
import { targetCliCommands } from "./target-command.ts";
import { toggleObjectCliCommand, toggleProgramCliCommand } from "./toggle.ts";
import { toggleContactCliCommand } from "./toggle-contact.ts";

/** All commands, in the order of the help. All but the last name of a path are groups. */
export const cliCommands: readonly CliCommand[] = [
  statusCliCommand,
  objectsCliCommand,
  historyCliCommand,
  handoverCliCommand,
  explainCliCommand,
  sloCliCommand,
  reportCliCommand,
  metricsCliCommand,
  realmsCliCommand,
  pairCliCommand,
  switchPairCliCommand,
  promotePairCliCommand,
  capacityCliCommand,
  ...targetCliCommands,
  addDowntimeCliCommand,
  listDowntimesCliCommand,
  removeDowntimeCliCommand,
  addCommentCliCommand,
  removeCommentCliCommand,
  addNoteCliCommand,
  listNotesCliCommand,
  toggleProgramCliCommand,
  toggleObjectCliCommand,
  toggleContactCliCommand,
  notifyTestCliCommand,
  notifyRouteCliCommand,
  validateConfigCliCommand,
  getConfigCliCommand,
  diffConfigCliCommand,
  applyConfigCliCommand,
  periodCliCommand,
  simulateCliCommand,
  importNagiosCliCommand,
  importIcinga2CliCommand,
  shadowCliCommand,
  auditCliCommand,
  auditVerifyCliCommand,
  backupCliCommand,
  loginCliCommand,
  logoutCliCommand,
  completionCliCommand,
  helpCliCommand,
];

/** Summaries of the names that are groups of commands. */
export const commandGroups: Readonly<Record<string, string>> = {
  downtime: "Schedule, list and delete downtimes.",
  comment: "Add and delete comments.",
  note: "Add and list the notes of the shift log.",
  toggle: "Enable and disable checks, notifications and other features.",
  config: "Check, compare and apply configuration documents.",
  import: "Convert configurations of other systems.",
};
