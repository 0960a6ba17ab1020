import type { CueObject } from "../import/imported-document.ts";
import { attributeValue, isAttributeOn, type NagiosConfiguration } from "./nagios-configuration.ts";
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
    for (const [name, { value }] of period.attributes) {
      if (periodWords.has(name)) continue;
      ranges[name] = value.replaceAll(/\s+/g, "");
    }
    const exclude = splitList(attributeValue(period, "exclude"));
    timeperiods[attributeValue(period, "timeperiod_name") ?? ""] =
      exclude.length > 0 ? { ranges, exclude } : { ranges };
    configuration.remark(period, "converted", "");
  }
  return timeperiods;
}

/** Converts contacts: to mail addresses where the command sends mail, else to commands. */
export function convertContacts(configuration: NagiosConfiguration): CueObject {
  const lines = new Map(
    configuration
      .ofType("command")
      .map((command) => [attributeValue(command, "command_name"), attributeValue(command, "command_line") ?? ""]),
  );
  const contacts: CueObject = {};
  for (const contact of configuration.ofType("contact")) {
    const name = attributeValue(contact, "contact_name") ?? "";
    const [first, ...more] = splitList(attributeValue(contact, "service_notification_commands"));
    const [command = "", ...args] = (first ?? "").split("!");
    const email = attributeValue(contact, "email");
    const period = attributeValue(contact, "service_notification_period");
    const common = period === undefined ? {} : { notification_period: period };
    if (first === undefined) {
      configuration.remark(contact, "unsupported", "the contact has no service_notification_commands");
      continue;
    }
    if (email !== undefined && /mail/i.test(`${command} ${lines.get(command) ?? ""}`)) {
      contacts[name] = { type: "email", address: email, ...common };
      configuration.remark(
        contact,
        "approximated",
        `mails have Realmwatch's own text instead of the one of ${command}`,
      );
    } else {
      const address = email === undefined ? {} : { address: email };
      contacts[name] = { type: "command", command, ...(args.length > 0 ? { args } : {}), ...address, ...common };
      configuration.remark(contact, "converted", "");
    }
    remarkContact(configuration, contact, { command: first, more });
  }
  return contacts;
}

type NotificationCommands = { readonly command: string; readonly more: readonly string[] };

function remarkContact(
  configuration: NagiosConfiguration,
  contact: NagiosObject,
  { command, more }: NotificationCommands,
): void {
  if (more.length > 0)
    configuration.remark(
      contact,
      "unsupported",
      `only ${command} is used, not ${more.join(", ")}: declare a contact for each`,
      "service_notification_commands",
    );
  for (const name of ["pager", "address1", "address2", "address3", "address4", "address5", "address6"])
    if (attributeValue(contact, name) !== undefined)
      configuration.remark(contact, "unsupported", `${name} is left out: give it in args of the contact`, name);
  const hostPeriod = attributeValue(contact, "host_notification_period");
  if (hostPeriod !== undefined && hostPeriod !== attributeValue(contact, "service_notification_period"))
    configuration.remark(
      contact,
      "approximated",
      "a contact has one period: that of services applies to hosts too",
      "host_notification_period",
    );
  for (const kind of ["host", "service"] as const) {
    const options = splitList(attributeValue(contact, `${kind}_notification_options`));
    if (options.includes("n") || !isAttributeOn(contact, `${kind}_notifications_enabled`, true))
      configuration.remark(
        contact,
        "unsupported",
        `a contact cannot refuse notifications of ${kind}s alone: leave it out of their policies`,
        `${kind}_notification_options`,
      );
    else if (options.length > 0 && !namesEveryKind(options, kind))
      configuration.remark(
        contact,
        "approximated",
        "kinds of notifications are chosen by policies, not by contacts",
        `${kind}_notification_options`,
      );
  }
}

/** True when a list of notification options names every kind of notification. */
export const namesEveryKind = (options: readonly string[], kind: "host" | "service"): boolean =>
  options.includes("a") || (kind === "host" ? "durfs" : "wucrfs").split("").every((each) => options.includes(each));
