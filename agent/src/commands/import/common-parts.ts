import { addressClauses, nodeWithAddress, refersToAddress } from "./host-address.ts";
import { type CueObject, unusedName } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";
import { type CueField, type CueNode, type CueStruct, cueFields, cueNode } from "./write-cue.ts";

/** Definitions, and the hosts that embed them. */
type HostFields = { readonly definitions: readonly CueField[]; readonly hosts: readonly CueField[] };

type Host = CueObject & { readonly address: string };
type HostEntry = readonly [name: string, host: Host];

/** Something that hosts may have in common: a setting of the host itself, a label, a variable, or a service. */
type Part = {
  readonly kind: "settings" | "labels" | "vars" | "services";
  readonly name: string;
  readonly value: unknown;
};
/** Part with the names of the hosts that have it. */
type SharedPart = Part & { readonly node: CueNode; readonly hosts: string[] };

/** Fields of a host that no other host shares as they are. */
const ownFields: ReadonlySet<string> = new Set(["address", "parents", "labels", "vars", "services"]);

/**
 * Writes hosts by what they have in common: parts that exactly the same hosts have become a definition which these hosts
 * embed, and settings that several services have become another one. The hosts are the same as before.
 */
export function writeHosts(hosts: Readonly<Record<string, Host>>, notes: SourceNotes): HostFields {
  return new CommonParts(Object.entries(hosts), notes).write();
}

/** Names of definitions, each of which is given once. */
class DefinitionNames {
  readonly #taken: Record<string, string> = {};
  readonly #comments: SourceNotes["comments"];

  constructor({ comments }: SourceNotes) {
    this.#comments = comments;
  }

  /** Name of a definition like that of something in the sources. */
  nameOf(wish: string): string {
    const plain = wish.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
    const start = /^[A-Za-z]/.test(plain) ? `#${plain}` : `#of_${plain}`;
    const name = unusedName(start, this.#taken, (count) => `${start}_${count}`);
    this.#taken[name] = wish;
    return name;
  }

  /** Comment of the template after which a definition is named; no other one with its name has it. */
  commentOf(name: string): string | undefined {
    return this.#comments.get(`templates ${this.#taken[name]}`);
  }
}

class CommonParts {
  readonly #hosts: readonly HostEntry[];
  readonly #notes: SourceNotes;
  readonly #names: DefinitionNames;
  readonly #services: ServiceSettings;
  /** Comments that were written: that of a service stands once, however many hosts have it. */
  readonly #written = new Set<string>();

  constructor(hosts: readonly HostEntry[], notes: SourceNotes) {
    this.#hosts = hosts;
    this.#notes = notes;
    this.#names = new DefinitionNames(notes);
    this.#services = new ServiceSettings(hosts, notes, this.#names);
  }

  write(): HostFields {
    const parts = new Map<string, SharedPart>();
    const partsOf = new Map<string, SharedPart[]>();
    for (const [name, host] of this.#hosts) partsOf.set(name, this.#addParts(parts, name, host));
    const bundles = Map.groupBy(
      [...parts.values()].filter(({ hosts }) => hosts.length > 1),
      ({ hosts }) => JSON.stringify(hosts),
    );
    const names = new Map<SharedPart, string>();
    const definitions: CueField[] = [];
    for (const bundle of bundles.values()) {
      if (!bundle.some(isWorthDefining)) continue;
      const name = this.#names.nameOf(this.#wishFor(bundle));
      for (const part of bundle) names.set(part, name);
      definitions.push(this.#definition(name, bundle));
    }
    const hosts = this.#hosts.map(([name, host]) => this.#host(name, host, { parts: partsOf.get(name) ?? [], names }));
    return { definitions: [...this.#services.definitions(), ...definitions], hosts };
  }

  #addParts(parts: Map<string, SharedPart>, name: string, host: Host): SharedPart[] {
    return partsOfHost(host).map((part) => {
      const isText = part.kind === "labels" || part.kind === "vars";
      const node = this.#nodeOf(part, (json) => (isText ? cueNode(json) : nodeWithAddress(json, host.address)));
      const key = JSON.stringify([part.kind, part.name, node]);
      const shared: SharedPart = parts.getOrInsertComputed(key, () => ({ ...part, node, hosts: [] }));
      shared.hosts.push(name);
      return shared;
    });
  }

  #nodeOf({ kind, value }: Part, write: (value: unknown) => CueNode): CueNode {
    return kind === "services" ? this.#services.write(value as CueObject, write) : write(value);
  }

  #definition(name: string, bundle: readonly SharedPart[]): CueField {
    const fields = this.#fieldsOf(bundle);
    const needsAddress = bundle.some(({ node }) => refersToAddress(node));
    const embedded = needsAddress ? addressClauses : [];
    return { name, comment: this.#names.commentOf(name), isDefinition: true, value: { fields, embedded } };
  }

  /** Fields of a host for some of its parts. */
  #fieldsOf(parts: readonly SharedPart[]): readonly CueField[] {
    const settings = parts
      .filter(({ kind }) => kind === "settings")
      .map(({ name, node }): CueField => ({ name, value: node }));
    const groups = (["labels", "vars", "services"] as const).flatMap((kind): readonly CueField[] => {
      const fields = parts
        .filter((part) => part.kind === kind)
        .map((part) => ({ name: part.name, value: part.node, comment: this.#commentOf(part) }));
      return fields.length === 0 ? [] : [{ name: kind, value: { fields } }];
    });
    return [...settings, ...groups];
  }

  #commentOf({ kind, name, hosts: [host = ""] }: SharedPart): string | undefined {
    const comment = kind === "services" ? this.#notes.comments.get(`hosts ${host}!${name}`) : undefined;
    if (comment === undefined || this.#written.has(comment)) return undefined;
    this.#written.add(comment);
    return comment;
  }

  #host(
    name: string,
    host: Host,
    { parts, names }: { readonly parts: readonly SharedPart[]; readonly names: ReadonlyMap<SharedPart, string> },
  ): CueField {
    const embedded = [...new Set(parts.flatMap((part) => names.get(part) ?? []))];
    const own = parts
      .filter((part) => !names.has(part))
      .map((part) => ({ ...part, node: this.#nodeOf(part, (json) => cueNode(json)) }));
    const { address, parents } = host;
    const fields: readonly CueField[] = [
      { name: "address", value: cueNode(address) },
      ...(parents === undefined ? [] : [{ name: "parents", value: cueNode(parents) }]),
      ...this.#fieldsOf(own),
    ];
    return { name, comment: this.#notes.comments.get(`hosts ${name}`), value: { embedded, fields } };
  }

  /** Name of a definition by what it is in the sources: a group, a template, or else its first service. */
  #wishFor(bundle: readonly SharedPart[]): string {
    const group = bundle.find(({ kind, name }) => kind === "labels" && name.startsWith("hostgroup."));
    if (group !== undefined) return group.name.slice("hostgroup.".length);
    const [host = ""] = bundle[0]?.hosts ?? [];
    if (bundle.some(({ kind }) => kind === "settings")) return this.#notes.templates.get(`hosts ${host}`) ?? "host";
    const [first, ...others] = bundle.filter(({ kind }) => kind === "services");
    return others.length === 0 ? (first?.name ?? "hosts") : `${first?.name}_and_${others.length}_more`;
  }
}

/** True for a part that is longer than the name of a definition for it. */
const isWorthDefining = ({ kind, value }: Part): boolean =>
  kind !== "vars" && (kind !== "settings" || typeof value === "object");

function partsOfHost(host: Host): readonly Part[] {
  const settings = Object.entries(host).filter(([name]) => !ownFields.has(name));
  return [
    ...settings.map(([name, value]) => ({ kind: "settings" as const, name, value })),
    ...(["labels", "vars", "services"] as const).flatMap((kind) =>
      Object.entries((host[kind] ?? {}) as CueObject).map(([name, value]) => ({ kind, name, value })),
    ),
  ];
}

/** Fields of a check that say how it is scheduled; the others say what is checked. */
const scheduleFields: ReadonlySet<string> = new Set([
  ...["check_interval", "retry_interval", "timeout", "max_attempts", "flap", "check_period", "freshness_threshold"],
]);

/** Settings that several services have, as definitions. */
class ServiceSettings {
  readonly #names = new Map<string, { readonly name: string; readonly settings: CueObject }>();
  readonly #definitionNames: DefinitionNames;

  constructor(hosts: readonly HostEntry[], notes: SourceNotes, names: DefinitionNames) {
    this.#definitionNames = names;
    const uses = new Map<
      string,
      { readonly settings: CueObject; readonly bodies: Set<string>; readonly templates: string[] }
    >();
    for (const [host, { address, services }] of hosts)
      for (const [service, body] of Object.entries((services ?? {}) as Record<string, CueObject>)) {
        const settings = settingsOf(body);
        const key = JSON.stringify(settings);
        const use = uses.getOrInsertComputed(key, () => ({ settings, bodies: new Set(), templates: [] }));
        use.bodies.add(`${service} ${JSON.stringify(nodeWithAddress(body, address))}`);
        use.templates.push(notes.templates.get(`hosts ${host}!${service}`) ?? "service");
      }
    for (const [key, { settings, bodies, templates }] of uses)
      if (bodies.size > 1) this.#names.set(key, { name: names.nameOf(mostFrequent(templates)), settings });
  }

  definitions(): readonly CueField[] {
    return [...this.#names.values()].map(({ name, settings }) => {
      const fields = cueFields(settings).map((field) =>
        field.name === "check" ? { ...field, value: { ...(field.value as CueStruct), isOpen: true } } : field,
      );
      const comment = this.#definitionNames.commentOf(name);
      return { name, comment, isDefinition: true, value: { fields, isOpen: true } };
    });
  }

  /** A service, which embeds the definition of its settings where there is one. */
  write(body: CueObject, write: (value: unknown) => CueNode): CueNode {
    const settings = settingsOf(body);
    const known = this.#names.get(JSON.stringify(settings));
    if (known === undefined) return write(body);
    const { check: common, ...others } = settings as { check: CueObject };
    const check = Object.entries(body["check"] as CueObject).filter(([name]) => !(name in common));
    const rest = Object.entries(body).filter(([name]) => name !== "check" && !(name in others));
    const own = { ...Object.fromEntries(rest), ...(check.length > 0 ? { check: Object.fromEntries(check) } : {}) };
    return { embedded: [known.name], fields: (write(own) as CueStruct).fields };
  }
}

/** Settings that a definition may have: the schedule, who is notified, and that a command is executed. */
function settingsOf(body: CueObject): CueObject {
  const isSetting = ([name, value]: [string, unknown]): boolean =>
    scheduleFields.has(name) || (name === "type" && value === "command");
  const settings = Object.entries(body).filter(([name]) => name !== "labels" && name !== "vars");
  const scheduled = (check: unknown) => Object.fromEntries(Object.entries(check as CueObject).filter(isSetting));
  return Object.fromEntries(settings.map(([name, value]) => [name, name === "check" ? scheduled(value) : value]));
}

function mostFrequent(texts: readonly string[]): string {
  const counts = [...Map.groupBy(texts, (text) => text)].map(([text, of]) => ({ text, count: of.length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.text ?? "";
}
