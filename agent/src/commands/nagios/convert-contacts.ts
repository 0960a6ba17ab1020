import { type CueObject, filledFields } from "../import/imported-document.ts";
import type { ContactPart } from "./contact-commands.ts";
import { commandUse, splitCommand } from "./convert-checks.ts";
import { attributeValue, markRead, type NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import type { ObjectLists } from "./object-lists.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Characters that only a shell understands. */
const shellCharacters = /[|&;<>`(){}*?~]|\$\(/;

/** Converts commands. Those that need a shell get one, as from Nagios. */
export function convertCommands(configuration: NagiosConfiguration): CueObject {
  const commands: CueObject = {};
  for (const command of configuration.ofType("command")) {
    const line = attributeValue(command, "command_line") ?? "";
    const needsShell = shellCharacters.test(line.replace(/"[^"]*"|'[^']*'/g, ""));
    commands[attributeValue(command, "command_name") ?? ""] = needsShell ? { line, shell: true } : { line };
    configuration.converted(command);
  }
  return commands;
}

const periodWords: ReadonlySet<string> = new Set(["timeperiod_name", "alias", "exclude"]);

/** Converts timeperiods, whose date expressions are the same. */
export function convertTimeperiods(configuration: NagiosConfiguration): CueObject {
  const timeperiods: CueObject = {};
  for (const period of configuration.ofType("timeperiod")) {
    const ranges: CueObject = {};
    for (const [name, { value, source }] of period.attributes) {
      if (periodWords.has(name)) continue;
      markRead(source);
      ranges[name] = value.replaceAll(/\s+/g, "");
    }
    const exclude = splitList(attributeValue(period, "exclude"));
    timeperiods[attributeValue(period, "timeperiod_name") ?? ""] =
      exclude.length > 0 ? { ranges, exclude } : { ranges };
    configuration.converted(period);
  }
  return timeperiods;
}

/**
 * Converts contacts: to mail addresses where the command sends mail, else to commands. One with several commands becomes
 * several.
 */
export function convertContacts(configuration: NagiosConfiguration, lists: ObjectLists): CueObject {
  const contacts: CueObject = {};
  for (const contact of configuration.ofType("contact")) {
    const { host, service } = lists.partsOfContact(nagiosNameOf(contact));
    const parts = [...new Set([...service, ...host])];
    if (parts.length === 0) {
      configuration.unsupported(contact, "the contact has no notification commands");
      continue;
    }
    for (const part of parts) contacts[part.name] = convertContact(configuration, contact, part);
    if (parts.length > 1)
      configuration.approximated(
        contact,
        `a contact has one command: it became ${parts.map(({ name }) => name).join(", ")}`,
        `${parts.at(-1)?.of}_notification_commands`,
      );
    remarkPeriods(configuration, contact, parts);
  }
  return contacts;
}

function convertContact(
  configuration: NagiosConfiguration,
  contact: NagiosObject,
  { text, isMail, of }: ContactPart,
): CueObject {
  const email = attributeValue(contact, "email");
  const common = filledFields({ notification_period: attributeValue(contact, `${of}_notification_period`) });
  if (isMail) {
    const { command } = splitCommand(text);
    configuration.approximated(contact, `mails have Realmwatch's own text instead of the one of ${command}`);
    return { type: "email", address: email, ...common };
  }
  configuration.converted(contact);
  return { ...commandUse(text), ...filledFields({ address: email }), ...common };
}

/** A part that is notified of hosts and of services has one period. */
function remarkPeriods(configuration: NagiosConfiguration, contact: NagiosObject, parts: readonly ContactPart[]): void {
  const hostPeriod = attributeValue(contact, "host_notification_period");
  const isShared = parts.every(({ of }) => of === "service");
  if (isShared && hostPeriod !== undefined && hostPeriod !== attributeValue(contact, "service_notification_period"))
    configuration.approximated(
      contact,
      "a contact has one period: that of services applies to hosts too",
      "host_notification_period",
    );
}
