import type { ContactGroupNames } from "../import/policy-name.ts";
import { type ContactParts, partsOfContacts } from "./contact-commands.ts";
import { type GroupMembers, membersOfGroups } from "./group-members.ts";
import { attributeValue, type NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import { NameLists, type NameSelection } from "./name-lists.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Hosts that an object names itself, and further ones of groups that it names. */
type SelectedHosts = { readonly direct: readonly string[]; readonly grouped: readonly string[] };

/** Finds the objects that the lists of other objects select. Services are references, `host!service`. */
export class ObjectLists {
  readonly hostGroups: GroupMembers;
  readonly serviceGroups: GroupMembers;
  readonly contactGroupNames: ContactGroupNames;
  /** Definition of each service: of several ones the first, where its host is named before where a group is. */
  readonly services: ReadonlyMap<string, NagiosObject>;
  readonly #configuration: NagiosConfiguration;
  readonly #names: NameLists;
  readonly #hostNames: readonly string[];
  readonly #contactGroups: GroupMembers;
  readonly #contactParts: ReadonlyMap<string, ContactParts>;
  readonly #descriptionsByHost: ReadonlyMap<string, readonly string[]>;

  constructor(configuration: NagiosConfiguration) {
    this.#configuration = configuration;
    this.#names = new NameLists(configuration.expressionUse(), (pattern) =>
      configuration.remarkOption("use_regexp_matching", `the expression ${JSON.stringify(pattern)} selects nothing`),
    );
    this.#hostNames = configuration.ofType("host").map(nagiosNameOf);
    this.#contactParts = partsOfContacts(configuration);
    this.hostGroups = this.#groupsOf("host");
    this.#contactGroups = this.#groupsOf("contact");
    this.contactGroupNames = new Map(
      [...this.#contactGroups].map(([group, members]) => [
        [...members]
          .flatMap((name) => this.#namesOf(name, "service"))
          .toSorted()
          .join(),
        group,
      ]),
    );
    this.services = this.#assignServices();
    this.#descriptionsByHost = descriptionsByHost(this.services.keys());
    this.serviceGroups = membersOfGroups(configuration, "service", {
      listed: (group) => this.#listedServices(attributeValue(group, "members")),
      naming: this.#naming("service", [...this.services]),
    });
  }

  /** Hosts that an object names, by directives with a prefix. */
  hostsOf(object: NagiosObject, prefix = ""): readonly string[] {
    const { direct, grouped } = this.#selectHosts(object, prefix);
    return [...direct, ...grouped];
  }

  /** Services that an escalation or a dependency names, on hosts of its own or else on `hosts`. */
  servicesOf(object: NagiosObject, prefix = "", hosts = this.hostsOf(object, prefix)): readonly string[] {
    const groups = attributeValue(object, `${prefix}servicegroup_name`);
    const grouped = this.#membersIn(this.serviceGroups, groups);
    const parts = splitList(attributeValue(object, `${prefix}service_description`)).join(",");
    const named = hosts.flatMap((host) => {
      const { selected } = this.#names.select(parts, this.#descriptionsByHost.get(host) ?? []);
      return [...selected].map((description) => `${host}!${description}`);
    });
    return [...new Set([...grouped.selected, ...named])];
  }

  /** Names in the document of the contacts that an object notifies, sorted. */
  contactsOf(object: NagiosObject): readonly string[] {
    const own = this.#names.select(attributeValue(object, "contacts"), [...this.#contactParts.keys()]);
    const grouped = this.#membersIn(this.#contactGroups, attributeValue(object, "contact_groups"));
    const excluded = own.excluded.union(grouped.excluded);
    const selected = own.selected.union(grouped.selected).difference(excluded);
    const type = object.type.startsWith("host") ? "host" : "service";
    return [...selected].flatMap((name) => this.#namesOf(name, type)).toSorted();
  }

  /** Parts that a contact becomes in the document, for hosts and for services. */
  partsOfContact(name: string): ContactParts {
    return this.#contactParts.get(name) ?? { host: [], service: [] };
  }

  #namesOf(contact: string, type: "host" | "service"): readonly string[] {
    return this.#contactParts.get(contact)?.[type].map(({ name }) => name) ?? [contact];
  }

  #selectHosts(object: NagiosObject, prefix: string): SelectedHosts {
    const own = this.#names.select(attributeValue(object, `${prefix}host_name`), this.#hostNames);
    const grouped = this.#membersIn(this.hostGroups, attributeValue(object, `${prefix}hostgroup_name`));
    const excluded = own.excluded.union(grouped.excluded);
    const direct = own.selected.difference(excluded);
    return { direct: [...direct], grouped: [...grouped.selected.difference(excluded).difference(direct)] };
  }

  /** Members of the groups that a list selects, and of those that it excludes. */
  #membersIn(groups: GroupMembers, list: string | undefined): NameSelection {
    const { selected, excluded } = this.#names.select(list, [...groups.keys()]);
    const membersOf = (names: ReadonlySet<string>) =>
      new Set([...names].flatMap((name) => [...(groups.get(name) ?? [])]));
    const out = membersOf(excluded);
    return { selected: membersOf(selected).difference(out), excluded: out };
  }

  #groupsOf(type: "host" | "contact"): GroupMembers {
    const objects = this.#configuration.ofType(type).map((object) => [nagiosNameOf(object), object] as const);
    const known = objects.map(([name]) => name);
    return membersOfGroups(this.#configuration, type, {
      listed: (group) => this.#names.select(attributeValue(group, "members"), known),
      naming: this.#naming(type, objects),
    });
  }

  /** Names by the groups that their objects name themselves. */
  #naming(
    type: "host" | "service" | "contact",
    objects: readonly (readonly [name: string, object: NagiosObject])[],
  ): ReadonlyMap<string, readonly string[]> {
    const groups = this.#configuration.ofType(`${type}group`).map(nagiosNameOf);
    const pairs = objects.flatMap(([name, object]) =>
      [...this.#names.select(attributeValue(object, `${type}groups`), groups).selected].map((group) => ({
        group,
        name,
      })),
    );
    return new Map(
      [...Map.groupBy(pairs, ({ group }) => group)].map(([group, of]) => [group, of.map(({ name }) => name)]),
    );
  }

  #assignServices(): ReadonlyMap<string, NagiosObject> {
    const services = new Map<string, NagiosObject>();
    const selected = this.#configuration.ofType("service").map((service) => {
      const hosts = this.#selectHosts(service, "");
      const count = hosts.direct.length + hosts.grouped.length;
      if (count === 0) this.#configuration.unsupported(service, "it is on no host");
      return { service, hosts: this.#configuration.addObjects(service, count) ? hosts : { direct: [], grouped: [] } };
    });
    for (const kind of ["direct", "grouped"] as const)
      for (const { service, hosts } of selected) for (const host of hosts[kind]) this.#assign(services, service, host);
    return services;
  }

  #assign(services: Map<string, NagiosObject>, service: NagiosObject, host: string): void {
    const ref = `${host}!${attributeValue(service, "service_description") ?? ""}`;
    const first = services.get(ref);
    if (first === undefined) return void services.set(ref, service);
    if (first === service) return;
    const { file, line } = first.source;
    const why = `${ref} is defined twice: the definition at ${file}:${line} counts, as in Nagios`;
    this.#configuration.approximated(service, why);
  }

  /** Services that the list of a group names: pairs of a host and a service. */
  #listedServices(list: string | undefined): NameSelection {
    const parts = splitList(list);
    const [selected, excluded] = [new Set<string>(), new Set<string>()];
    for (let at = 0; at + 1 < parts.length; at += 2)
      for (const host of this.#names.matching(parts[at] ?? "", this.#hostNames)) {
        const found = this.#names.select(parts[at + 1], this.#descriptionsByHost.get(host) ?? []);
        for (const description of found.selected) selected.add(`${host}!${description}`);
        for (const description of found.excluded) excluded.add(`${host}!${description}`);
      }
    return { selected: selected.difference(excluded), excluded };
  }
}

function descriptionsByHost(refs: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const pairs = [...refs].map((ref) => [ref.slice(0, ref.indexOf("!")), ref.slice(ref.indexOf("!") + 1)] as const);
  return new Map([...Map.groupBy(pairs, ([host]) => host)].map(([host, of]) => [host, of.map(([, name]) => name)]));
}
