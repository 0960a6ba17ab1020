import type { DocumentPath } from "@realmwatch/shared/text/document-path";
import { remarkByDesign } from "../import/design-notes.ts";
import { type DroppedPart, dropInvalid } from "../import/drop-invalid.ts";
import type { ImportItem, ImportReport } from "../import/import-report.ts";
import type { CueObject } from "../import/imported-document.ts";
import { type SourceNotes, sourceNotes } from "../import/source-notes.ts";
import { splitCommand } from "./convert-checks.ts";
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

/** Configuration document, which the programs accept, and the findings about the objects of the source. */
type NagiosImport = {
  readonly document: CueObject;
  readonly notes: SourceNotes;
  readonly items: readonly ImportItem[];
};

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
    const { command, args } = splitCommand(text);
    handlers[text] = { type: "command", command, ...(args.length > 0 ? { args } : {}) };
    global[kind] = text;
  }
  if (configuration.optionText("enable_event_handlers")?.value === "0") global["enabled"] = false;
  const zone = configuration.optionText("use_timezone")?.value.replace(/^:/, "");
  return {
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(Object.keys(global).length > 0 ? { event_handlers: global } : {}),
  };
}

/** Converts a configuration of Nagios. An object whose templates are not valid is left out. */
export function convertNagios(sources: NagiosSources, report: ImportReport): NagiosImport {
  const { objects: resolved, problems } = resolveTemplates(sources.objects, sources.limits);
  for (const { object, source, why } of problems)
    report.add({ source, kind: object.type, name: nagiosNameOf(object), outcome: "unsupported", why });
  const configuration = new NagiosConfiguration(sources, resolved, report);
  const lists = new ObjectLists(configuration);
  const contacts = convertContacts(configuration, lists);
  const policies = new NagiosPolicies(configuration, lists, contacts);
  const objects = new NagiosObjects(configuration, policies, lists);
  const document: CueObject = withoutEmpty({
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
  for (const part of dropInvalid(document)) reportDropped(configuration, objects, part);
  for (const group of configuration.ofType("contactgroup")) configuration.remark(group, "converted", "");
  const notes = notesOf(configuration, sources, objects);
  remarkRepetitions(configuration, document["notifications"]);
  remarkByDesign(report, { document, notes, rules: nagiosDesignRules(configuration, document["notifications"]) });
  return { document: withoutEmpty(document), notes, items: report.items() };
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
  views: "hostgroup",
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
