import { type CueObject, filledFields, unusedName } from "../import/imported-document.ts";
import { attributeValue, isAttributeOn, type NagiosConfiguration } from "./nagios-configuration.ts";
import type { ObjectLists } from "./object-lists.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

const statusByOption: Readonly<Record<"host" | "service", Readonly<Record<string, string>>>> = {
  host: { o: "ok", d: "critical", u: "unreachable", p: "pending" },
  service: { o: "ok", w: "warning", u: "unknown", c: "critical", p: "pending" },
};

/** Converts dependencies of notifications; each pair of master and dependents is one. */
export function convertDependencies(configuration: NagiosConfiguration, lists: ObjectLists): CueObject {
  const dependencies: CueObject = {};
  for (const kind of ["host", "service"] as const)
    for (const dependency of configuration.ofType(`${kind}dependency`)) {
      const criteria = splitList(attributeValue(dependency, "notification_failure_criteria"));
      const failsOn = criteria.flatMap((each) => statusByOption[kind][each] ?? []);
      const pairs = pairsOf(lists, dependency, kind);
      const count = pairs.reduce((sum, { dependents }) => sum + dependents.length, 0);
      if (!configuration.addObjects(dependency, count)) continue;
      if (failsOn.length > 0)
        for (const { master, dependents } of pairs.filter(({ dependents: of }) => of.length > 0)) {
          const name = `${dependents[0] ?? ""} on ${master}`;
          dependencies[unusedName(name, dependencies, (count) => `${name} (${count})`)] = {
            dependents: dependents.map((ref) => ({ ref })),
            on: { ref: master },
            fails_on: failsOn,
            ...(isAttributeOn(dependency, "inherits_parent", false) ? { inherits: true } : {}),
            ...filledFields({ period: attributeValue(dependency, "dependency_period") }),
          };
        }
      remark(configuration, dependency, { hasNotifications: failsOn.length > 0, hasRefs: count > 0 });
    }
  return dependencies;
}

function remark(
  configuration: NagiosConfiguration,
  dependency: NagiosObject,
  { hasNotifications, hasRefs }: { readonly hasNotifications: boolean; readonly hasRefs: boolean },
): void {
  const execution = attributeValue(dependency, "execution_failure_criteria");
  const stopsChecks = execution !== undefined && execution !== "n";
  if (!hasRefs) configuration.unsupported(dependency, "it names no dependent object");
  else if (stopsChecks)
    configuration.unsupported(
      dependency,
      "a dependency suppresses notifications only; checks go on",
      "execution_failure_criteria",
    );
  else if (hasNotifications) configuration.converted(dependency);
}

/** Objects that others depend on, each with these. */
type DependencyPair = { readonly master: string; readonly dependents: readonly string[] };

function pairsOf(lists: ObjectLists, dependency: NagiosObject, kind: "host" | "service"): readonly DependencyPair[] {
  const hosts = lists.hostsOf(dependency, "dependent_");
  if (kind === "host") return lists.hostsOf(dependency).map((master) => ({ master, dependents: hosts }));
  const isElsewhere = hosts.length > 0 || attributeValue(dependency, "dependent_servicegroup_name") !== undefined;
  const elsewhere = isElsewhere ? lists.servicesOf(dependency, "dependent_", hosts) : [];
  return lists.servicesOf(dependency).map((master) => {
    // Without a host of its own a dependent service is on the host of its master.
    const host = master.slice(0, master.indexOf("!"));
    return { master, dependents: isElsewhere ? elsewhere : lists.servicesOf(dependency, "dependent_", [host]) };
  });
}
