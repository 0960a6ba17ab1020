import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { DocumentPath } from "@realmwatch/shared/text/document-path";
import { type DroppedPart, dropInvalid } from "../import/drop-invalid.ts";
import { type ImportItem, ImportReport } from "../import/import-report.ts";
import type { CueObject } from "../import/imported-document.ts";
import { convertCommands, convertContacts, convertTimeperiods } from "./convert-contacts.ts";
import { convertDependencies } from "./convert-dependencies.ts";
import { convertGroups, NagiosObjects } from "./convert-objects.ts";
import { convertOptions } from "./convert-options.ts";
import { NagiosPolicies } from "./convert-policies.ts";
import { membersOfGroups, NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import type { NagiosSources } from "./read-sources.ts";
import { resolveTemplates } from "./resolve-templates.ts";

/** Configuration document, which the programs accept, and the findings about the objects of the source. */
type NagiosImport = { readonly document: CueObject; readonly items: readonly ImportItem[] };

/** Converts a configuration of Nagios. Fails with `file:line: message` where the sources contradict themselves. */
export function convertNagios(sources: NagiosSources): Result<NagiosImport, string> {
  const resolved = resolveTemplates(sources.objects);
  if (!resolved.ok) return fail(resolved.error);
  const configuration = new NagiosConfiguration(sources, resolved.value, new ImportReport());
  const contactGroups = membersOfGroups(configuration, {
    type: "contact",
    namesOf: (contact) => [nagiosNameOf(contact)],
  });
  const hostGroups = membersOfGroups(configuration, { type: "host", namesOf: (host) => [nagiosNameOf(host)] });
  const policies = new NagiosPolicies(configuration, contactGroups);
  const objects = new NagiosObjects(configuration, policies, hostGroups);
  const document: CueObject = withoutEmpty({
    ...convertOptions(configuration, objects.handlers),
    resources: Object.fromEntries([...sources.resources].map(([name, { value }]) => [name, value])),
    timeperiods: convertTimeperiods(configuration),
    commands: convertCommands(configuration),
    contacts: convertContacts(configuration),
    notifications: policies.policies,
    handlers: objects.handlers,
    hosts: objects.hosts,
    dependencies: convertDependencies(configuration, objects),
    views: convertGroups(configuration),
  });
  remarkUnknownTypes(configuration);
  for (const part of dropInvalid(document)) reportDropped(configuration, objects, part);
  for (const group of configuration.ofType("contactgroup")) configuration.remark(group, "converted", "");
  return ok({ document: withoutEmpty(document), items: configuration.report.items() });
}

/** The document without empty sections; `hosts` is required. */
const withoutEmpty = (document: CueObject): CueObject =>
  Object.fromEntries(
    Object.entries(document).filter(
      ([name, value]) => name === "hosts" || typeof value === "string" || Object.keys(value as object).length > 0,
    ),
  );

const knownTypes: ReadonlySet<string> = new Set([
  ...["host", "service", "command", "contact", "timeperiod", "hostgroup", "servicegroup", "contactgroup"],
  ...["hostdependency", "servicedependency", "hostescalation", "serviceescalation"],
]);

const hints: Readonly<Record<string, string>> = {
  hostextinfo: "it only decorates hosts",
  serviceextinfo: "it only decorates services",
};

function remarkUnknownTypes(configuration: NagiosConfiguration): void {
  for (const object of configuration.objects)
    if (!knownTypes.has(object.type))
      configuration.remark(object, "unsupported", hints[object.type] ?? "this type of object is not known");
}

const typeBySection: Readonly<Record<string, string>> = {
  commands: "command",
  contacts: "contact",
  timeperiods: "timeperiod",
};

/** Reports a part that was removed, under the object of the source that it came from. */
function reportDropped(configuration: NagiosConfiguration, objects: NagiosObjects, { path, why }: DroppedPart): void {
  const [section = "", name = ""] = path.map(String);
  const type = typeBySection[section];
  const object =
    section === "hosts"
      ? objects.origins.get(refOf(path))
      : configuration.objects.find((each) => each.type === type && nagiosNameOf(each) === name);
  if (object === undefined)
    return configuration.report.add({
      source: configuration.objects[0]?.source ?? { file: "", line: 1 },
      ...{ kind: section, name, outcome: "unsupported", why },
    });
  configuration.remark(object, "unsupported", why);
  if (section !== "hosts" || path.length !== 2) return;
  for (const [ref, service] of objects.origins)
    if (ref.startsWith(`${name}!`)) configuration.remark(service, "unsupported", `its host ${name} was not converted`);
}

const refOf = ([, host, group, service]: DocumentPath): string =>
  group === "services" ? `${host}!${service}` : String(host);
