import { type CueObject, unusedName } from "../../import/imported-document.ts";
import {
  attributeSwitch,
  attributeText,
  type IcingaConfiguration,
  type IcingaObject,
  targetRefOf,
} from "../icinga-object.ts";
import type { IcingaHosts } from "./hosts.ts";
import { listedStates } from "./notification-filters.ts";

/** Dependency of the object `child` on the object `parent`. */
type Parsed = {
  readonly object: IcingaObject;
  readonly parent: string;
  readonly child: string;
  readonly redundancyGroup: string | undefined;
  readonly failsOn: readonly string[];
};

/**
 * Converts dependencies. Hosts that depend on one host, or on several hosts of one redundancy group, get `parents`, so
 * that they become unreachable; all other dependencies suppress notifications.
 */
export function convertIcingaDependencies(configuration: IcingaConfiguration, hosts: IcingaHosts): CueObject {
  const parsed = configuration.ofType("Dependency").flatMap((each) => parse(configuration, hosts, each) ?? []);
  const dependencies: CueObject = {};
  for (const [child, all] of Map.groupBy(parsed, (each) => each.child)) {
    if (areParents(all)) {
      const host = hosts.hosts[child];
      if (host !== undefined) host["parents"] = [...new Set(all.map(({ parent }) => parent))];
      for (const { object } of all) configuration.converted(object);
      continue;
    }
    for (const [group, members] of Map.groupBy(all, keyOf))
      addDependency(configuration, dependencies, { child, group, members });
  }
  return dependencies;
}

/** Dependencies of one redundancy group belong together; the others stand alone. */
const keyOf = ({ redundancyGroup, object }: Parsed): string => redundancyGroup ?? object.name;

const areParents = (all: readonly Parsed[]): boolean =>
  all.every(
    ({ object, parent, child, failsOn }) =>
      !parent.includes("!") &&
      !child.includes("!") &&
      attributeText(object, "period") === undefined &&
      attributeSwitch(object, "disable_notifications", true) &&
      failsOn.includes("critical"),
  ) && new Set(all.map(keyOf)).size === 1;

function parse(configuration: IcingaConfiguration, hosts: IcingaHosts, object: IcingaObject): Parsed | undefined {
  const [parent, child] = [targetRefOf(object, "parent_"), targetRefOf(object, "child_")];
  const missing = [parent, child].find((ref) => hosts.find(ref) === undefined);
  // A rule for all hosts also selects the one that they depend on; Icinga 2 refuses such an object.
  const why =
    parent === child
      ? "it depends on itself"
      : missing === undefined
        ? undefined
        : `its object ${missing} is not in the document`;
  if (why !== undefined) {
    configuration.unsupported(object, why);
    return undefined;
  }
  if (attributeSwitch(object, "disable_checks", false))
    configuration.unsupported(object, "a dependency suppresses notifications only; checks go on", "disable_checks");
  return {
    object,
    parent,
    child,
    failsOn: failsOnOf(object, parent),
    redundancyGroup: attributeText(object, "redundancy_group"),
  };
}

/** Statuses in which a dependency has failed: those that `states` does not list. */
function failsOnOf(object: IcingaObject, parent: string): readonly string[] {
  const listed = listedStates(object);
  if (!parent.includes("!")) return listed.includes("Down") ? [] : ["critical", "unreachable"];
  const allowed = listed.length === 0 ? ["OK", "Warning"] : listed;
  return ["OK", "Warning", "Critical", "Unknown"]
    .filter((each) => !allowed.includes(each))
    .map((each) => each.toLowerCase());
}

function addDependency(
  configuration: IcingaConfiguration,
  dependencies: CueObject,
  { child, group, members }: { readonly child: string; readonly group: string; readonly members: readonly Parsed[] },
): void {
  const [first] = members;
  if (first === undefined) return;
  const { object, failsOn } = first;
  if (!attributeSwitch(object, "disable_notifications", true) || failsOn.length === 0) {
    for (const each of members)
      configuration.unsupported(each.object, "it suppresses no notifications, so it has no effect here");
    return;
  }
  const period = attributeText(object, "period");
  const refs = members.map(({ parent }) => ({ ref: parent }));
  const on = refs.length === 1 ? refs[0] : { any: refs };
  const wish = refs.length === 1 ? `${child} on ${first.parent}` : `${child} on ${group}`;
  const name = unusedName(wish, dependencies, (count) => `${wish} (${count})`);
  dependencies[name] = {
    ...{ dependents: [{ ref: child }], on, fails_on: failsOn },
    ...(attributeSwitch(object, "ignore_soft_states", true) ? {} : { states: "soft" }),
    ...(period === undefined ? {} : { period }),
  };
  for (const each of members) configuration.converted(each.object);
}
