import { maxNesting } from "../import/import-limits.ts";
import { attributeValue, type NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import type { NameSelection } from "./name-lists.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Members of groups by the name of the group. */
export type GroupMembers = ReadonlyMap<string, ReadonlySet<string>>;

type GroupReading = {
  /** Members that the list of a group names. */
  readonly listed: (group: NagiosObject) => NameSelection;
  /** Members that name the groups themselves, by the name of the group. */
  readonly naming: ReadonlyMap<string, readonly string[]>;
};

/**
 * Members of each group: objects that the group lists, members of groups within it, and objects that name the group
 * themselves. Objects that the group's own list excludes are left out. Reports each group without members.
 */
export function membersOfGroups(
  configuration: NagiosConfiguration,
  type: "host" | "service" | "contact",
  { listed, naming }: GroupReading,
): GroupMembers {
  const groups = new Map(configuration.ofType(`${type}group`).map((group) => [nagiosNameOf(group), group]));
  const cache = new Map<string, Set<string>>();
  let names = 0;
  const membersOf = (name: string, depth: number): ReadonlySet<string> => {
    const known = cache.get(name);
    const group = groups.get(name);
    if (known !== undefined) return known;
    const found = new Set(naming.get(name));
    cache.set(name, found);
    if (group === undefined) return found;
    const { selected, excluded } = listed(group);
    for (const member of selected) found.add(member);
    const inner = splitList(attributeValue(group, `${type}group_members`));
    if (depth === maxNesting && inner.length > 0)
      configuration.unsupported(group, `groups in it are left out: more than ${maxNesting} contain each other`);
    else for (const each of inner) for (const member of membersOf(each, depth + 1)) found.add(member);
    for (const member of excluded) found.delete(member);
    names += found.size;
    if (names <= configuration.limits.entries) return found;
    const most = Math.floor(configuration.limits.entries);
    configuration.unsupported(group, `its members are left out: the groups have more than ${most} in all`);
    found.clear();
    return found;
  };
  for (const [name, group] of groups)
    if (membersOf(name, 0).size === 0) configuration.approximated(group, `no ${type} is in it`);
  return new Map([...groups.keys()].map((name) => [name, membersOf(name, 0)]));
}
