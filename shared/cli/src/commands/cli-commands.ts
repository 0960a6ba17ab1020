import type { CliCommand } from "../cli-command.ts";
import { acknowledgeCommand, removeAcknowledgementCommand } from "./acknowledge.ts";
import { auditCommand } from "./audit.ts";
import { checkCommand } from "./check.ts";
import { addCommentCommand, removeCommentCommand } from "./comment.ts";
import { applyConfigCommand } from "./config-apply.ts";
import { periodCommand, validateConfigCommand } from "./config-local.ts";
import { diffConfigCommand, getConfigCommand } from "./config-served.ts";
import { auditVerifyCommand, backupCommand } from "./data-local.ts";
import { addDowntimeCommand } from "./downtime-add.ts";
import { listDowntimesCommand, removeDowntimeCommand } from "./downtime-list.ts";
import { explainCommand } from "./explain.ts";
import { historyCommand } from "./history.ts";
import { notifyRouteCommand } from "./notify-route.ts";
import { notifyTestCommand } from "./notify-test.ts";
import { objectsCommand } from "./objects.ts";
import { realmsCommand } from "./realms.ts";
import { simulateCommand } from "./simulate.ts";
import { statusCommand } from "./status.ts";
import { toggleContactCommand, toggleObjectCommand, toggleProgramCommand } from "./toggle.ts";

/** Every command, in the order of the help. A path with several words belongs under its first ones. */
export const cliCommands: readonly CliCommand[] = [
  statusCommand,
  objectsCommand,
  historyCommand,
  explainCommand,
  realmsCommand,
  acknowledgeCommand,
  removeAcknowledgementCommand,
  addDowntimeCommand,
  listDowntimesCommand,
  removeDowntimeCommand,
  addCommentCommand,
  removeCommentCommand,
  checkCommand,
  toggleProgramCommand,
  toggleObjectCommand,
  toggleContactCommand,
  notifyTestCommand,
  notifyRouteCommand,
  validateConfigCommand,
  getConfigCommand,
  diffConfigCommand,
  applyConfigCommand,
  periodCommand,
  simulateCommand,
  auditCommand,
  auditVerifyCommand,
  backupCommand,
];

/** What a word means that only groups commands. */
export const groups: Readonly<Record<string, string>> = {
  downtime: "Schedule, list and delete downtimes.",
  comment: "Add and delete comments.",
  toggle: "Switch checks, notifications and the like on and off.",
  notify: "Try whether a contact can be reached, and who would be told.",
  config: "Check, compare and apply configuration documents.",
};
