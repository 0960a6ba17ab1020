import { never } from "@realmwatch/shared/model/never";
import { prepareCommand } from "@realmwatch/shared/text/command/prepare-command";
import { timeMacros } from "@realmwatch/shared/text/command/time-macros";
import { type AttemptResult, delivered, reject, retry } from "../../platform/outbound/delivery-result.ts";
import { type ProgramOutcome, startFailureTexts } from "../../platform/programs/program-runner.ts";
import {
  type ContactDependencies,
  type ContactPlanOf,
  type ContactType,
  type HeartbeatMessage,
  heartbeatKind,
} from "../contact-type.ts";
import { notificationEnvironment, notificationMacroLookup, notificationMacros } from "../format/contact-macros.ts";
import { quoteResponse } from "../http/quote-response.ts";
import { sendEachNotification } from "./send-each.ts";

const timeoutMs = 30_000;
/** `EX_TEMPFAIL` of sysexits.h: the program requests another attempt. */
const temporaryFailure = 75;

/** Runs a command line of `commands`, once for each notification and each heartbeat. */
export const commandContact: ContactType<"command"> = {
  type: "command",
  // The timeout of the program counts from its start, and it may have to wait for a free slot before.
  deadlineMs: 2 * timeoutMs,
  slotWaitMs: timeoutMs,
  send: (contact, message, dependencies, signal) =>
    sendEachNotification(message, (notification) =>
      runFor(notificationMacros(notification, contact), { contact, dependencies, signal }),
    ),
  sendHeartbeat: (contact, heartbeat, dependencies, signal) =>
    runFor(heartbeatMacros(heartbeat, contact), { contact, dependencies, signal }),
};

type Values = Readonly<Record<string, string>>;

/** Macros of a heartbeat. Those of objects are empty. */
function heartbeatMacros({ realm, version, atMs }: HeartbeatMessage, { name, address }: Run["contact"]): Values {
  const own = { NOTIFICATIONTYPE: heartbeatKind, NOTIFICATIONKIND: heartbeatKind, NOTIFICATIONNUMBER: "0" };
  const contact = { CONTACTNAME: name, CONTACTALIAS: name, CONTACTEMAIL: address };
  return { ...timeMacros(atMs), ...own, ...contact, NOTIFICATIONCOMMENT: `realm ${realm}, version ${version}` };
}

type Run = {
  readonly contact: ContactPlanOf<"command">;
  readonly dependencies: ContactDependencies;
  readonly signal: AbortSignal;
};

async function runFor(values: Values, { contact, dependencies, signal }: Run): Promise<AttemptResult> {
  const commands = dependencies.commands();
  const what = `command ${JSON.stringify(contact.command)}`;
  const template = Object.hasOwn(commands, contact.command) ? commands[contact.command] : undefined;
  if (template === undefined) return reject("setup", `${what} is not declared`);
  const resources = dependencies.resources();
  const prepared = prepareCommand(template, contact.args, notificationMacroLookup(values, resources));
  if (!prepared.ok) return reject("setup", `${what} cannot be run: its line ${prepared.error}`);
  const { argv, env } = prepared.value;
  const ended = await dependencies.programs.run(
    { argv, env: { ...notificationEnvironment(values), ...env }, timeoutMs },
    signal,
  );
  return classifyOutcome(what, ended, Object.values(resources));
}

/** Failure of a program that may have done its work. */
const interrupted = (detail: string): AttemptResult => ({ ...retry("program", detail), mayHaveArrived: true });

/** Classifies the end of a program. A failure without `EX_TEMPFAIL` may have had effects, so it is not retried. */
function classifyOutcome(what: string, ended: ProgramOutcome, secrets: readonly string[]): AttemptResult {
  switch (ended.kind) {
    case "exited": {
      if (ended.code === 0) return delivered;
      const [firstLine = ""] = (ended.stderr.trim() || ended.stdout.trim()).split("\n");
      const detail = `${what} ended with exit code ${ended.code}${quoteResponse(firstLine, secrets)}`;
      return ended.code === temporaryFailure ? retry("program", detail) : reject("program", detail);
    }
    case "signalled":
      return interrupted(`${what} was killed by ${ended.signal}`);
    case "timed_out":
      return retry("timeout", `${what} took longer than ${timeoutMs / 1_000} s`);
    case "not_started": {
      const detail = `${what} cannot be run: ${startFailureTexts[ended.why]}`;
      return ended.why === "no_resources" ? retry("program", detail) : reject("setup", detail);
    }
    case "lost":
      return interrupted(`${what} was lost: the process that ran it died`);
    case "aborted":
      return retry("timeout", `${what} was interrupted`);
    default:
      return never(ended);
  }
}
