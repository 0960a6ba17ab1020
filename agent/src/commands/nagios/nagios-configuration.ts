import type { ImportOutcome, ImportReport } from "../import/import-report.ts";
import type { NagiosSources } from "./read-sources.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosAttribute, NagiosObject } from "./source-objects.ts";

/** Configuration with templates applied, and look-ups that the converters share. */
export class NagiosConfiguration {
  readonly #sources: NagiosSources;
  readonly objects: readonly NagiosObject[];
  readonly report: ImportReport;

  constructor(sources: NagiosSources, objects: readonly NagiosObject[], report: ImportReport) {
    this.#sources = sources;
    this.objects = objects;
    this.report = report;
  }

  get resources(): NagiosSources["resources"] {
    return this.#sources.resources;
  }

  ofType(type: string): readonly NagiosObject[] {
    return this.objects.filter((object) => object.type === type);
  }

  /** Number in the main file. */
  option(name: string, fallback: number): number {
    const number = Number(this.#sources.options.get(name)?.at(-1)?.value);
    return Number.isFinite(number) ? number : fallback;
  }

  /** Last value of an option of the main file, with its place; undefined when it is not set or empty. */
  optionText(name: string): NagiosAttribute | undefined {
    const option = this.#sources.options.get(name)?.at(-1);
    return option?.value === "" ? undefined : option;
  }

  /** Duration of an attribute that counts in units of `interval_length`, s. */
  seconds(object: NagiosObject, names: readonly string[], fallback: number): number {
    const text = names.map((name) => attributeValue(object, name)).find((value) => value !== undefined);
    const number = text === undefined ? Number.NaN : Number(text);
    return (Number.isFinite(number) ? number : fallback) * this.option("interval_length", 60);
  }

  /** Adds a remark about an object, at an attribute of it where one is given. */
  remark(object: NagiosObject, outcome: ImportOutcome, why: string, attribute?: string): void {
    const source = (attribute === undefined ? undefined : object.attributes.get(attribute)?.source) ?? object.source;
    this.report.add({ source, kind: object.type, name: nagiosNameOf(object), outcome, why });
  }
}

/** Value of an attribute; undefined when it is not set or empty. */
export function attributeValue(object: NagiosObject, name: string): string | undefined {
  const value = object.attributes.get(name)?.value;
  return value === "" ? undefined : value;
}

/** True when a switch is on. */
export const isAttributeOn = (object: NagiosObject, name: string, fallback: boolean): boolean =>
  attributeValue(object, name) === undefined ? fallback : attributeValue(object, name) !== "0";

/** Name of an object in the report; that of a service begins with its hosts. */
export function nagiosNameOf(object: NagiosObject): string {
  const service = attributeValue(object, "service_description");
  const hosts = attributeValue(object, "host_name") ?? attributeValue(object, "hostgroup_name") ?? "";
  if (object.type === "service") return `${hosts}!${service ?? ""}`;
  return attributeValue(object, `${object.type}_name`) ?? [hosts, service].filter(Boolean).join("!");
}

/** Custom variables, and the attributes named in `texts`, as variables of the document. */
export function variablesOf(object: NagiosObject, texts: readonly string[]): Record<string, string> {
  const vars: Record<string, string> = {};
  for (const [name, { value }] of object.attributes) {
    if (/^_[A-Za-z][A-Za-z0-9_]*$/.test(name)) vars[name.slice(1).toUpperCase()] = value;
    else if (texts.includes(name) && value !== "" && value !== nagiosNameOf(object)) vars[name.toUpperCase()] = value;
  }
  return vars;
}

/** Members of groups by the group's name: listed in the group, in groups within it, or naming it themselves. */
export function membersOfGroups(
  configuration: NagiosConfiguration,
  {
    type,
    namesOf,
  }: { readonly type: "host" | "contact"; readonly namesOf: (object: NagiosObject) => readonly string[] },
): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map(
    configuration.ofType(`${type}group`).map((group) => [attributeValue(group, `${type}group_name`) ?? "", group]),
  );
  const all = configuration.ofType(type);
  const cache = new Map<string, Set<string>>();
  const members = (name: string): Set<string> => {
    const known = cache.get(name);
    if (known !== undefined) return known;
    const found = new Set<string>();
    cache.set(name, found);
    const group = groups.get(name);
    for (const each of splitList(group && attributeValue(group, "members")))
      for (const member of each === "*" ? all.flatMap(namesOf) : [each]) found.add(member);
    for (const inner of splitList(group && attributeValue(group, `${type}group_members`)))
      for (const member of members(inner)) found.add(member);
    for (const object of all)
      if (splitList(attributeValue(object, `${type}groups`)).includes(name))
        for (const member of namesOf(object)) found.add(member);
    return found;
  };
  return new Map([...groups.keys()].map((name) => [name, members(name)]));
}

/** Names that a list selects: names, `*`, groups, and without those after `!`. */
export function selectNames(
  lists: { readonly names: string | undefined; readonly groups: string | undefined },
  known: readonly string[],
  groups: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const selected = new Set<string>();
  const expand = (part: string): Iterable<string> => (part === "*" ? known : [part]);
  for (const part of splitList(lists.names))
    if (!part.startsWith("!")) for (const name of expand(part)) selected.add(name);
  for (const part of splitList(lists.groups))
    if (!part.startsWith("!")) for (const name of part === "*" ? known : (groups.get(part) ?? [])) selected.add(name);
  for (const part of splitList(lists.names)) if (part.startsWith("!")) selected.delete(part.slice(1));
  for (const part of splitList(lists.groups))
    if (part.startsWith("!")) for (const name of groups.get(part.slice(1)) ?? []) selected.delete(name);
  return [...selected];
}
