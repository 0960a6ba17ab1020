import type { DocumentPath } from "@realmwatch/shared/text/document-path";
import { remarkByDesign } from "../import/design-notes.ts";
import { leaveOutRefused } from "../import/drop-invalid.ts";
import type { ImportReport } from "../import/import-report.ts";
import {
  type ConvertedDocument,
  type CueObject,
  filledFields,
  withoutEmptySections,
} from "../import/imported-document.ts";
import { type SourceNotes, sourceNotes } from "../import/source-notes.ts";
import { commandUse } from "./convert-checks.ts";
import { convertCommands, convertContacts, convertTimeperiods } from "./convert-contacts.ts";
import { convertDependencies } from "./convert-dependencies.ts";
import { convertGroups, NagiosObjects } from "./convert-objects.ts";
import { NagiosPolicies } from "./convert-policies.ts";
import { nagiosDesignRules, remarkRepetitions } from "./design-rules.ts";
import { remarkLeftOut } from "./left-out.ts";
import { NagiosConfiguration, nagiosNameOf } from "./nagios-configuration.ts";
import { ObjectLists } from "./object-lists.ts";
import type { NagiosSources } from "./read-sources.ts";
import { resolveTemplates } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Switches of the main file that turn off what cannot be turned off in a document. */
const switches: Readonly<Record<string, string>> = {
  enable_notifications: "notifications are on: realmwatch toggle program notifications off",
  execute_host_checks: "checks are on: realmwatch toggle program active-checks off",
  execute_service_checks: "checks are on: realmwatch toggle program active-checks off",
  accept_passive_host_checks: "passive results are accepted: realmwatch toggle program passive-checks off",
  accept_passive_service_checks: "passive results are accepted: realmwatch toggle program passive-checks off",
};

/**
 * Converts options of the main file: time zone, global event handlers and switches.
 *
 * @param handlers receives the handlers that the options name
 */
function convertOptions(configuration: NagiosConfiguration, handlers: CueObject): CueObject {
  for (const [name, why] of Object.entries(switches)) {
    const option = configuration.optionText(name);
    if (option?.value === "0")
      configuration.report.add({ source: option.source, kind: "option", name, outcome: "unsupported", why });
  }
  const global: CueObject = {};
  for (const kind of ["host", "service"] as const) {
    const text = configuration.optionText(`global_${kind}_event_handler`)?.value;
    if (text === undefined) continue;
    handlers[text] = commandUse(text);
    global[kind] = text;
  }
  if (configuration.optionText("enable_event_handlers")?.value === "0") global["enabled"] = false;
  const zone = configuration.optionText("use_timezone")?.value.replace(/^:/, "");
  return filledFields({ timezone: zone, event_handlers: global });
}

/** Converts a configuration of Nagios. An object whose templates are not valid is left out. */
export function convertNagios(sources: NagiosSources, report: ImportReport): ConvertedDocument {
  const { objects: resolved, problems } = resolveTemplates(sources.objects, sources.limits);
  for (const { object, source, why } of problems)
    report.add({ source, kind: object.type, name: nagiosNameOf(object), outcome: "unsupported", why });
  const configuration = new NagiosConfiguration(sources, resolved, report);
  const lists = new ObjectLists(configuration);
  const contacts = convertContacts(configuration, lists);
  const policies = new NagiosPolicies(configuration, lists, contacts);
  const objects = new NagiosObjects(configuration, policies, lists);
  const document: CueObject = withoutEmptySections({
    ...convertOptions(configuration, objects.handlers),
    resources: Object.fromEntries([...sources.resources].map(([name, { value }]) => [name, value])),
    timeperiods: convertTimeperiods(configuration),
    commands: convertCommands(configuration),
    contacts,
    notifications: policies.shared.policies,
    handlers: objects.handlers,
    hosts: objects.hosts,
    dependencies: convertDependencies(configuration, lists),
    views: convertGroups(configuration),
  });
  remarkUnknownTypes(configuration);
  const services = new Set(lists.services.values());
  remarkLeftOut(
    configuration,
    configuration.objects.filter(({ type }) => knownTypes.has(type) && type !== "service").concat([...services]),
  );
  leaveOutRefused(document, {
    ...{ configuration, origins: objects.origins, elsewhere: configuration.objects[0]?.source },
    originOf: (path) => originOf(configuration, objects, path),
  });
  for (const group of configuration.ofType("contactgroup")) configuration.converted(group);
  const notes = notesOf(configuration, sources, objects);
  remarkRepetitions(configuration, document["notifications"]);
  remarkByDesign(report, { document, notes, rules: nagiosDesignRules(configuration, document["notifications"]) });
  return { document: withoutEmptySections(document), notes, items: report.items() };
}

/** Comments and templates of the sources. */
function notesOf(configuration: NagiosConfiguration, sources: NagiosSources, objects: NagiosObjects): SourceNotes {
  const named = Object.entries(typeBySection).flatMap(([section, type]) =>
    configuration.ofType(type).map((object) => [`${section} ${nagiosNameOf(object)}`, object] as const),
  );
  const parts = [...objects.origins].map(([ref, object]) => [`hosts ${ref}`, object] as const);
  const templates = sources.objects.flatMap((object) => {
    const name = object.attributes.get("name")?.value;
    return name === undefined ? [] : [[`templates ${name}`, object] as const];
  });
  return sourceNotes(
    [...named, ...parts, ...templates].map(([part, { source, type: kind, comment, template, ...object }]) => ({
      ...{ part, source, kind, comment, template, name: nagiosNameOf({ source, type: kind, ...object }) },
    })),
  );
}

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
      configuration.unsupported(object, hints[object.type] ?? "this type of object is not known");
}

const typeBySection: Readonly<Record<string, string>> = {
  commands: "command",
  contacts: "contact",
  timeperiods: "timeperiod",
  views: "hostgroup",
};

/** Object from which a part of the document came. */
function originOf(
  configuration: NagiosConfiguration,
  { origins }: NagiosObjects,
  path: DocumentPath,
): NagiosObject | undefined {
  const [section = "", name = "", group, service] = path.map(String);
  if (section === "hosts") return origins.get(group === "services" ? `${name}!${service}` : name);
  const type = typeBySection[section];
  return configuration.objects.find((each) => each.type === type && nagiosNameOf(each) === name);
}
