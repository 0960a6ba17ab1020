import { type CueObject, unusedName } from "../import/imported-document.ts";
import type { NagiosObjects } from "./convert-objects.ts";
import { attributeValue, isAttributeOn, type NagiosConfiguration } from "./nagios-configuration.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

const statusByOption: Readonly<Record<"host" | "service", Readonly<Record<string, string>>>> = {
  host: { o: "ok", d: "critical", u: "unreachable", p: "pending" },
  service: { o: "ok", w: "warning", u: "unknown", c: "critical", p: "pending" },
};

/** Converts dependencies of notifications; each pair of master and dependents is one. */
export function convertDependencies(configuration: NagiosConfiguration, objects: NagiosObjects): CueObject {
  const dependencies: CueObject = {};
  for (const kind of ["host", "service"] as const)
    for (const dependency of configuration.ofType(`${kind}dependency`)) {
      const criteria = splitList(
        attributeValue(dependency, "notification_failure_criteria") ??
          attributeValue(dependency, "notification_failure_options"),
      );
      const failsOn = criteria.flatMap((each) => statusByOption[kind][each] ?? []);
      const masters = refsOf(objects, dependency, kind, "");
      const dependents = refsOf(objects, dependency, kind, "dependent_");
      if (failsOn.length > 0)
        for (const master of masters) {
          const name = `${dependents[0] ?? ""} on ${master}`;
          dependencies[unusedName(name, dependencies, (count) => `${name} (${count})`)] = {
            dependents: dependents.map((ref) => ({ ref })),
            on: { ref: master },
            fails_on: failsOn,
            ...(isAttributeOn(dependency, "inherits_parent", false) ? { inherits: true } : {}),
            ...(attributeValue(dependency, "dependency_period") === undefined
              ? {}
              : { period: attributeValue(dependency, "dependency_period") }),
          };
        }
      remark(configuration, dependency, { hasNotifications: failsOn.length > 0, hasRefs: dependents.length > 0 });
    }
  return dependencies;
}

function remark(
  configuration: NagiosConfiguration,
  dependency: NagiosObject,
  { hasNotifications, hasRefs }: { readonly hasNotifications: boolean; readonly hasRefs: boolean },
): void {
  const execution =
    attributeValue(dependency, "execution_failure_criteria") ?? attributeValue(dependency, "execution_failure_options");
  const stopsChecks = execution !== undefined && execution !== "n";
  if (!hasRefs) configuration.remark(dependency, "unsupported", "it names no dependent object");
  else if (stopsChecks)
    configuration.remark(
      dependency,
      "unsupported",
      "a dependency suppresses notifications only; checks go on",
      "execution_failure_criteria",
    );
  else if (hasNotifications) configuration.remark(dependency, "converted", "");
}

function refsOf(
  objects: NagiosObjects,
  dependency: NagiosObject,
  kind: "host" | "service",
  prefix: string,
): readonly string[] {
  const hosts = objects.hostsOf(dependency, prefix);
  if (kind === "host") return hosts;
  const services = splitList(attributeValue(dependency, `${prefix}service_description`));
  // Without a host of its own a dependent service is on the master's host.
  const own = hosts.length > 0 ? hosts : objects.hostsOf(dependency);
  return own.flatMap((host) => services.map((service) => `${host}!${service}`));
}
