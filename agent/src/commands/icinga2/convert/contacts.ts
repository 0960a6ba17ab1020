import { type CueObject, filledFields, SharedParts } from "../../import/imported-document.ts";
import type { ContactGroupNames } from "../../import/policy-name.ts";
import { IcingaDictionary } from "../dsl/values.ts";
import {
  attributeList,
  attributeSwitch,
  attributeText,
  type IcingaConfiguration,
  type IcingaObject,
  shortName,
} from "../icinga-object.ts";
import { groupsOf } from "../resolve-objects.ts";
import { buildCommandLine } from "./command-line.ts";
import type { IcingaCommandTemplates } from "./command-templates.ts";
import { remarkKinds } from "./notification-filters.ts";

/** Contacts: one for each user and each way in which notifications reach the user. */
export class IcingaContacts {
  /** Name of the user by the name of the contact. */
  readonly origins = new Map<string, IcingaObject>();
  readonly #configuration: IcingaConfiguration;
  readonly #templates: IcingaCommandTemplates;
  readonly groupNames: ContactGroupNames;
  readonly #members: ReadonlyMap<string, readonly IcingaObject[]>;
  readonly #shared = new SharedParts();

  constructor(configuration: IcingaConfiguration, templates: IcingaCommandTemplates) {
    this.#configuration = configuration;
    this.#templates = templates;
    const members = new Map<string, IcingaObject[]>();
    for (const user of configuration.ofType("User")) {
      configuration.converted(user);
      this.#remark(user);
      for (const group of groupsOf(user, (name) => configuration.find("UserGroup", name)))
        members.set(group, [...(members.get(group) ?? []), user]);
    }
    for (const group of configuration.ofType("UserGroup")) configuration.converted(group);
    this.#members = members;
    this.groupNames = new Map(
      [...members].map(([group, users]) => [
        users
          .map(({ name }) => name)
          .toSorted()
          .join(),
        group,
      ]),
    );
  }

  get contacts(): CueObject {
    return this.#shared.parts;
  }

  /** Names of the contacts that a notification reaches, sorted. */
  reachedBy(notification: IcingaObject): readonly string[] {
    const users = new Set<IcingaObject>();
    for (const name of attributeList(notification, "users")) {
      const user = this.#configuration.find("User", name);
      if (user === undefined)
        this.#configuration.unsupported(notification, `the user ${name} is not declared`, "users");
      else users.add(user);
    }
    for (const group of attributeList(notification, "user_groups")) {
      if (this.#configuration.find("UserGroup", group) === undefined)
        this.#configuration.unsupported(notification, `the user group ${group} is not declared`, "user_groups");
      for (const user of this.#members.get(group) ?? []) users.add(user);
    }
    const names = [...users].flatMap((user) => this.#contactOf(user, notification) ?? []);
    return [...new Set(names)].toSorted();
  }

  #contactOf(user: IcingaObject, notification: IcingaObject): string | undefined {
    if (!attributeSwitch(user, "enable_notifications", true)) return undefined;
    const commandName = attributeText(notification, "command") ?? "";
    const command = this.#configuration.find("NotificationCommand", commandName);
    if (command === undefined) {
      this.#configuration.unsupported(notification, `its command ${commandName} is not declared`, "command");
      return undefined;
    }
    const contact = this.#contact(user, notification, command);
    if (contact === undefined) return undefined;
    const period = attributeText(user, "period");
    return this.#add(user, { ...contact, ...filledFields({ notification_period: period }) });
  }

  #contact(user: IcingaObject, notification: IcingaObject, command: IcingaObject): CueObject | undefined {
    const email = attributeText(user, "email");
    const name = shortName(command);
    if (email !== undefined && /mail/i.test(`${name} ${attributeList(command, "command").join(" ")}`)) {
      this.#configuration.approximated(command, "mails have Realmwatch's own text instead of the one of the command");
      return { type: "email", address: email };
    }
    const line = buildCommandLine(command, [
      { as: "notification", object: notification },
      { as: "user", object: user },
    ]);
    if (!line.ok) {
      this.#configuration.unsupported(command, `no contact of ${user.name} is made: ${line.error}`);
      return undefined;
    }
    for (const loss of line.value.losses) this.#configuration.unsupported(command, loss);
    this.#configuration.converted(command);
    return { type: "command", ...this.#templates.use(name, line.value), ...filledFields({ address: email }) };
  }

  #add(user: IcingaObject, contact: CueObject): string {
    const name = this.#shared.nameOf(user.name, contact);
    this.origins.set(name, user);
    return name;
  }

  #remark(user: IcingaObject): void {
    remarkKinds(this.#configuration, user, "a contact receives all that its policies send");
    if (!attributeSwitch(user, "enable_notifications", true))
      this.#configuration.approximated(
        user,
        "it receives no notifications, so it has no contact",
        "enable_notifications",
      );
    else if (!this.#isNotified(user))
      this.#configuration.approximated(user, "no notification names it, so it has no contact");
  }

  #isNotified(user: IcingaObject): boolean {
    const groups = groupsOf(user, (name) => this.#configuration.find("UserGroup", name));
    return this.#configuration
      .ofType("Notification")
      .some(
        (each) =>
          attributeList(each, "users").includes(user.name) ||
          attributeList(each, "user_groups").some((group) => groups.includes(group)),
      );
  }
}

/** Seconds of a limit of a notification's `times`; undefined where it has none. */
export function timesOf(notification: IcingaObject, limit: "begin" | "end"): number | undefined {
  const times = notification.attributes.get("times");
  const value = times instanceof IcingaDictionary ? times.get(limit) : null;
  return typeof value === "number" ? value : undefined;
}
