import type { CueObject } from "../import/imported-document.ts";
import { splitCommand } from "./convert-checks.ts";
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
    configuration.remark(command, "converted", "");
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
    configuration.remark(period, "converted", "");
  }
  return timeperiods;
}

/**
 * Converts contacts: to mail addresses where the command sends mail, else to commands. One with several commands becomes
 * several.
 */
export function convertContacts(configuration: NagiosConfiguration, lists: ObjectLists): CueObject {
  const lines = new Map(
    configuration
      .ofType("command")
      .map((command) => [attributeValue(command, "command_name"), attributeValue(command, "command_line") ?? ""]),
  );
  const contacts: CueObject = {};
  for (const contact of configuration.ofType("contact")) {
    const names = lists.namesOfContact(nagiosNameOf(contact));
    const commands = splitList(attributeValue(contact, "service_notification_commands"));
    if (commands.length === 0) {
      configuration.remark(contact, "unsupported", "the contact has no service_notification_commands");
      continue;
    }
    for (const [index, text] of commands.entries())
      contacts[names[index] ?? ""] = convertContact(configuration, contact, { text, lines });
    if (names.length > 1)
      configuration.remark(
        contact,
        "approximated",
        `a contact has one command: it became ${names.join(", ")}`,
        "service_notification_commands",
      );
    remarkContact(configuration, contact);
  }
  return contacts;
}

type NotificationCommand = {
  /** Command with its arguments. */
  readonly text: string;
  /** Command lines by the name of the command. */
  readonly lines: ReadonlyMap<string | undefined, string>;
};

function convertContact(
  configuration: NagiosConfiguration,
  contact: NagiosObject,
  { text, lines }: NotificationCommand,
): CueObject {
  const { command, args } = splitCommand(text);
  const email = attributeValue(contact, "email");
  const period = attributeValue(contact, "service_notification_period");
  const common = period === undefined ? {} : { notification_period: period };
  if (email !== undefined && /mail/i.test(`${command} ${lines.get(command) ?? ""}`)) {
    configuration.remark(contact, "approximated", `mails have Realmwatch's own text instead of the one of ${command}`);
    return { type: "email", address: email, ...common };
  }
  configuration.remark(contact, "converted", "");
  const address = email === undefined ? {} : { address: email };
  return { type: "command", command, ...(args.length > 0 ? { args } : {}), ...address, ...common };
}

function remarkContact(configuration: NagiosConfiguration, contact: NagiosObject): void {
  const [hosts, services] = (["host", "service"] as const).map((kind) =>
    attributeValue(contact, `${kind}_notification_commands`),
  );
  const isMail = attributeValue(contact, "email") !== undefined && /mail/i.test(`${hosts} ${services}`);
  if (hosts !== undefined && hosts !== services && !isMail)
    configuration.remark(
      contact,
      "approximated",
      `a contact has one command: hosts are notified by ${services} too, not by ${hosts}`,
      "host_notification_commands",
    );
  const hostPeriod = attributeValue(contact, "host_notification_period");
  if (hostPeriod !== undefined && hostPeriod !== attributeValue(contact, "service_notification_period"))
    configuration.remark(
      contact,
      "approximated",
      "a contact has one period: that of services applies to hosts too",
      "host_notification_period",
    );
}
