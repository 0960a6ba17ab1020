import { type LevelRecipients, levelRecipients, statusesWithout } from "../import/contact-statuses.ts";
import { type CueObject, durationText, filledFields } from "../import/imported-document.ts";
import { SharedPolicies } from "../import/policy-name.ts";
import { attributeValue, isAttributeOn, type NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import type { ObjectLists } from "./object-lists.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Escalation of an object: contacts of the notifications from one number to another, both included. */
export type NagiosEscalation = { readonly object: NagiosObject; readonly first: number; readonly last: number };

/** Notification policies. Objects with the same settings share one. */
export class NagiosPolicies {
  readonly #configuration: NagiosConfiguration;
  readonly #lists: ObjectLists;
  readonly shared = new SharedPolicies();
  readonly #contacts: CueObject;
  readonly #options: ReadonlyMap<string, Readonly<Record<ObjectType, ContactOptions>>>;

  /** @param contacts those of the document, to which such are added that are notified of some statuses only */
  constructor(configuration: NagiosConfiguration, lists: ObjectLists, contacts: CueObject) {
    this.#configuration = configuration;
    this.#lists = lists;
    this.#contacts = contacts;
    this.#options = new Map(
      configuration.ofType("contact").flatMap((contact) => {
        const options = { host: contactOptions(contact, "host"), service: contactOptions(contact, "service") };
        this.#remarkMissingOptions(contact);
        const { host, service } = lists.partsOfContact(nagiosNameOf(contact));
        return [...host, ...service].map(({ name }) => [name, options] as const);
      }),
    );
  }

  #remarkMissingOptions(contact: NagiosObject): void {
    for (const kind of ["host", "service"] as const)
      if (attributeValue(contact, `${kind}_notification_options`) === undefined)
        this.#configuration.converted(
          contact,
          `it has no ${kind}_notification_options: as in Nagios it is notified of no ${kind}`,
        );
  }

  /** Name of the policy of a host or a service; undefined when it notifies no contact. */
  policyOf(object: NagiosObject, kind: ObjectType, escalations: readonly NagiosEscalation[]): string | undefined {
    const base = this.#lists.contactsOf(object);
    const levels = this.#levels(object, kind, { base, escalations });
    if (levels.length === 0) return undefined;
    const policy = filledFields({ period: attributeValue(object, "notification_period"), levels });
    this.#remark(object);
    return this.shared.nameOf(policy, this.#lists.contactGroupNames);
  }

  /** One level for each range of notification numbers with the same escalations. */
  #levels(
    object: NagiosObject,
    kind: ObjectType,
    { base, escalations }: { readonly base: readonly string[]; readonly escalations: readonly NagiosEscalation[] },
  ): readonly LevelRecipients[] {
    const starts = [1, ...escalations.flatMap(({ first, last }) => [first, ...(last > 0 ? [last + 1] : [])])];
    const sorted = [...new Set(starts)].sort((a, b) => a - b);
    const levels: LevelRecipients[] = [];
    for (const [index, start] of sorted.entries()) {
      const active = escalations.filter(({ first, last }) => first <= start && (last === 0 || last >= start));
      const names =
        active.length === 0 ? base : [...new Set(active.flatMap((each) => this.#lists.contactsOf(each.object)))];
      const { recipients, disabled } = this.#recipients(object, kind, names);
      if (recipients.contacts.length === 0) continue;
      const by =
        active.find((each) => attributeValue(each.object, "notification_interval") !== undefined)?.object ?? object;
      const next = sorted[index + 1];
      const { contacts, ...statuses } = recipients;
      const settings = {
        threshold: next === undefined ? undefined : next - start,
        renotify_interval: durationText(this.#configuration.seconds(by, "notification_interval", 30)),
        disabled_kinds: disabled,
      };
      levels.push({ contacts, ...filledFields(settings), ...statuses });
    }
    return levels;
  }

  /** [IM29] Contacts of a level with their statuses, and the kinds that the object or all of the contacts refuse. */
  #recipients(
    object: NagiosObject,
    kind: ObjectType,
    names: readonly string[],
  ): { readonly recipients: LevelRecipients; readonly disabled: readonly string[] } {
    const options = attributeValue(object, "notification_options");
    const [own, refused] = [selectedStatuses(options, kind), disabledKinds(options, kind)];
    const optionsOf = (name: string): ContactOptions | undefined => this.#options.get(name)?.[kind];
    const wanted = names.map((name) => {
      const selected = optionsOf(name)?.statuses;
      return [name, own.filter((status) => selected?.includes(status) ?? true)] as const;
    });
    const taking = wanted.filter(([, statuses]) => statuses.length > 0).map(([name]) => name);
    const left = taking.map((name) => new Set(optionsOf(name)?.disabled));
    const shared = left.length === 0 ? new Set<string>() : left.reduce((a, b) => a.intersection(b));
    const disabled = Object.values(kindsByOption)
      .flat()
      .filter((each) => shared.has(each) || refused.includes(each));
    for (const name of taking) this.#remarkKinds(optionsOf(name), kind, disabled);
    return { recipients: levelRecipients(new Map(wanted), this.#contacts), disabled };
  }

  #remarkKinds(options: ContactOptions | undefined, kind: ObjectType, disabled: readonly string[]): void {
    const more = options?.disabled.filter((each) => !disabled.includes(each)) ?? [];
    if (options === undefined || more.length === 0) return;
    const why = `it shares levels with others: ${more.join(", ")} are sent to it too`;
    this.#configuration.approximated(options.contact, why, `${kind}_notification_options`);
  }

  #remark(object: NagiosObject): void {
    if (Number(attributeValue(object, "first_notification_delay") ?? 0) > 0)
      this.#configuration.approximated(
        object,
        "the first notification is not delayed: raise max_attempts instead",
        "first_notification_delay",
      );
  }
}

type ObjectType = "host" | "service";

/** Statuses and kinds of notifications about hosts or services that a contact takes. */
type ContactOptions = {
  readonly contact: NagiosObject;
  readonly statuses: readonly string[];
  readonly disabled: readonly string[];
};

function contactOptions(contact: NagiosObject, kind: ObjectType): ContactOptions {
  const options = attributeValue(contact, `${kind}_notification_options`);
  const isOn = isAttributeOn(contact, `${kind}_notifications_enabled`, true);
  const takes = isOn && options !== undefined && !splitList(options).includes("n");
  if (!takes) return { contact, statuses: [], disabled: [] };
  return { contact, statuses: selectedStatuses(options, kind), disabled: disabledKinds(options, kind) };
}

/** Statuses by the options of Nagios. Services have no option for UNREACHABLE, so this status always notifies. */
const statusesByOption: Readonly<Record<ObjectType, Readonly<Record<string, string>>>> = {
  host: { d: "CRITICAL", u: "UNREACHABLE" },
  service: { w: "WARNING", c: "CRITICAL", u: "UNKNOWN" },
};

/** Statuses that notification options leave. A host is never WARNING or UNKNOWN for Nagios: they stay. */
function selectedStatuses(text: string | undefined, kind: ObjectType): readonly string[] {
  const options = splitList(text);
  if (options.length === 0 || options.includes("a") || options.includes("n")) return statusesWithout([]);
  const left = Object.entries(statusesByOption[kind]).filter(([option]) => !options.includes(option));
  return statusesWithout(left.map(([, status]) => status));
}

const kindsByOption: Readonly<Record<string, readonly string[]>> = {
  r: ["RECOVERY"],
  f: ["FLAPPING_START", "FLAPPING_STOP"],
  s: ["DOWNTIME_START", "DOWNTIME_END", "DOWNTIME_CANCELLED"],
};

function disabledKinds(text: string | undefined, kind: ObjectType): readonly string[] {
  const options = splitList(text);
  if (options.length === 0 || namesEveryKind(options, kind)) return [];
  return Object.entries(kindsByOption).flatMap(([option, kinds]) => (options.includes(option) ? [] : kinds));
}

/** True when a list of notification options names every kind of notification. */
const namesEveryKind = (options: readonly string[], kind: ObjectType): boolean =>
  options.includes("a") || (kind === "host" ? "durfs" : "wucrfs").split("").every((each) => options.includes(each));
