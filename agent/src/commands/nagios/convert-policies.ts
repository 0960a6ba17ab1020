import { type CueObject, durationText, unusedName } from "../import/imported-document.ts";
import { namesEveryKind } from "./convert-contacts.ts";
import { attributeValue, type NagiosConfiguration, nagiosNameOf, selectNames } from "./nagios-configuration.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Escalation of an object: contacts of the notifications from one number to another, both included. */
export type NagiosEscalation = { readonly object: NagiosObject; readonly first: number; readonly last: number };

/** Notification policies. Objects with the same settings share one. */
export class NagiosPolicies {
  readonly #configuration: NagiosConfiguration;
  readonly #groups: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #contacts: readonly string[];
  readonly #names = new Map<string, string>();
  readonly policies: CueObject = {};

  constructor(configuration: NagiosConfiguration, groups: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#configuration = configuration;
    this.#groups = groups;
    this.#contacts = configuration.ofType("contact").map(nagiosNameOf);
  }

  /** Name of the policy of a host or a service; undefined when it notifies no contact. */
  policyOf(
    object: NagiosObject,
    kind: "host" | "service",
    escalations: readonly NagiosEscalation[],
  ): string | undefined {
    const base = this.#contactsOf(object);
    const levels = this.#levels(object, kind, { base, escalations });
    if (levels.length === 0) return undefined;
    const period = attributeValue(object, "notification_period");
    const policy = { ...(period === undefined ? {} : { period }), levels };
    this.#remark(object, kind);
    const key = JSON.stringify(policy);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = unusedName(levels[0]?.contacts.join("-") ?? kind, this.policies);
    this.#names.set(key, name);
    this.policies[name] = policy;
    return name;
  }

  #contactsOf(object: NagiosObject): readonly string[] {
    const lists = { names: attributeValue(object, "contacts"), groups: attributeValue(object, "contact_groups") };
    return selectNames(lists, this.#contacts, this.#groups).toSorted();
  }

  /** One level for each range of notification numbers with the same escalations. */
  #levels(
    object: NagiosObject,
    kind: "host" | "service",
    { base, escalations }: { readonly base: readonly string[]; readonly escalations: readonly NagiosEscalation[] },
  ): readonly { readonly contacts: readonly string[] }[] {
    const starts = [1, ...escalations.flatMap(({ first, last }) => [first, ...(last > 0 ? [last + 1] : [])])];
    const sorted = [...new Set(starts)].sort((a, b) => a - b);
    const disabled = disabledKinds(object, kind);
    const levels: (CueObject & { readonly contacts: readonly string[] })[] = [];
    for (const [index, start] of sorted.entries()) {
      const active = escalations.filter(({ first, last }) => first <= start && (last === 0 || last >= start));
      const contacts =
        active.length === 0 ? base : [...new Set(active.flatMap((each) => this.#contactsOf(each.object)))];
      if (contacts.length === 0) continue;
      const by =
        active.find((each) => attributeValue(each.object, "notification_interval") !== undefined)?.object ?? object;
      const next = sorted[index + 1];
      levels.push({
        contacts: contacts.toSorted(),
        ...(next === undefined ? {} : { threshold: next - start }),
        renotify_interval: durationText(this.#configuration.seconds(by, ["notification_interval"], 30)),
        ...(disabled.length > 0 ? { disabled_kinds: disabled } : {}),
      });
    }
    return levels;
  }

  #remark(object: NagiosObject, kind: "host" | "service"): void {
    const options = splitList(attributeValue(object, "notification_options"));
    const statuses = kind === "host" ? ["d", "u"] : ["w", "u", "c"];
    const missing = statuses.filter((each) => !options.includes(each));
    if (options.length > 0 && !namesEveryKind(options, kind) && missing.length > 0 && !options.includes("n"))
      this.#configuration.remark(
        object,
        "approximated",
        `notifications cannot be limited to some statuses: those of ${missing.join(", ")} are sent too`,
        "notification_options",
      );
    if (Number(attributeValue(object, "first_notification_delay") ?? 0) > 0)
      this.#configuration.remark(
        object,
        "approximated",
        "the first notification is not delayed: raise max_attempts instead",
        "first_notification_delay",
      );
  }
}

const kindsByOption: Readonly<Record<string, readonly string[]>> = {
  r: ["RECOVERY"],
  f: ["FLAPPING_START", "FLAPPING_STOP"],
  s: ["DOWNTIME_START", "DOWNTIME_END", "DOWNTIME_CANCELLED"],
};

function disabledKinds(object: NagiosObject, kind: "host" | "service"): readonly string[] {
  const options = splitList(attributeValue(object, "notification_options"));
  if (options.length === 0 || namesEveryKind(options, kind)) return [];
  return Object.entries(kindsByOption).flatMap(([option, kinds]) => (options.includes(option) ? [] : kinds));
}
