import { unusedName } from "../import/imported-document.ts";
import { splitCommand } from "./convert-checks.ts";
import { attributeValue, type NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import { splitList } from "./resolve-templates.ts";

type NotifiedType = "host" | "service";

/** Contact of the document: what a contact of Nagios becomes for one of its notification commands. */
export type ContactPart = {
  readonly name: string;
  /** Command with its arguments. */
  readonly text: string;
  /** True when the command sends mail to the address of the contact. */
  readonly isMail: boolean;
  /** Type of objects whose directives apply: those of services, where both have the command. */
  readonly of: NotifiedType;
};

/** Parts of a contact that are notified of hosts, and of services. */
export type ContactParts = Readonly<Record<NotifiedType, readonly ContactPart[]>>;

/**
 * [IM24] Parts of the contacts by their names: a contact has one command in a document, so that one with several commands, or
 * with other ones for hosts than for services, is several.
 */
export function partsOfContacts(configuration: NagiosConfiguration): ReadonlyMap<string, ContactParts> {
  const lines = new Map(
    configuration
      .ofType("command")
      .map((command) => [attributeValue(command, "command_name"), attributeValue(command, "command_line") ?? ""]),
  );
  const contacts = configuration.ofType("contact");
  const taken: Record<string, true> = Object.fromEntries(contacts.map((contact) => [nagiosNameOf(contact), true]));
  const newName = (wish: string): string => {
    const name = unusedName(wish, taken);
    taken[name] = true;
    return name;
  };
  return new Map(
    contacts.map((contact) => {
      const name = nagiosNameOf(contact);
      const isMail = (text: string): boolean => {
        const { command } = splitCommand(text);
        const sendsMail = /mail/i.test(`${command} ${lines.get(command) ?? ""}`);
        return attributeValue(contact, "email") !== undefined && sendsMail;
      };
      const commandsOf = (of: NotifiedType) => splitList(attributeValue(contact, `${of}_notification_commands`));
      const service = commandsOf("service").map((text, at): ContactPart => {
        const own = at === 0 ? name : newName(name);
        return { name: own, text, isMail: isMail(text), of: "service" };
      });
      const host = commandsOf("host").map(
        (text): ContactPart =>
          service.find((part) => part.text === text || (part.isMail && isMail(text))) ?? {
            ...{ name: service.length === 0 ? name : newName(`${name}-hosts`), text, isMail: isMail(text), of: "host" },
          },
      );
      return [name, { service, host: host.length === 0 ? service : [...new Set(host)] }];
    }),
  );
}
