import type { DocumentPath } from "@realmwatch/shared/text/document-path";
import { type DesignRule, remarkByDesign } from "../import/design-notes.ts";
import { leaveOutRefused } from "../import/drop-invalid.ts";
import type { ImportReport } from "../import/import-report.ts";
import { type ConvertedDocument, type CueObject, withoutEmptySections } from "../import/imported-document.ts";
import { type SourceNotes, sourceNotes } from "../import/source-notes.ts";
import { IcingaChecks } from "./convert/checks.ts";
import { IcingaCommandTemplates } from "./convert/command-templates.ts";
import { IcingaContacts } from "./convert/contacts.ts";
import { convertIcingaDependencies } from "./convert/dependencies.ts";
import { convertIcingaDowntimes } from "./convert/downtimes.ts";
import { convertIcingaGroups, IcingaHosts } from "./convert/hosts.ts";
import { IcingaPolicies } from "./convert/policies.ts";
import { convertIcingaTimeperiods } from "./convert/timeperiods.ts";
import {
  attributeList,
  attributeSwitch,
  attributeText,
  IcingaConfiguration,
  type IcingaObject,
  type IcingaObjects,
  shortName,
} from "./icinga-object.ts";

/** Converts the objects of a configuration. */
export function convertIcinga(source: IcingaObjects, report: ImportReport): ConvertedDocument {
  const configuration = new IcingaConfiguration(source, report);
  const templates = new IcingaCommandTemplates(source.pluginFolder);
  const contacts = new IcingaContacts(configuration, templates);
  const policies = new IcingaPolicies(configuration, contacts);
  const checks = new IcingaChecks(configuration, templates);
  const hosts = new IcingaHosts(configuration, { checks, policies, templates });
  const timeperiods = convertIcingaTimeperiods(configuration);
  const dependencies = convertIcingaDependencies(configuration, hosts);
  const downtimes = convertIcingaDowntimes(configuration, hosts, timeperiods);
  const document: CueObject = {
    ...{ resources: templates.resources, timeperiods, commands: templates.commands, contacts: contacts.contacts },
    notifications: policies.shared.policies,
    ...{ handlers: hosts.handlers, hosts: hosts.hosts, dependencies, downtimes },
    views: convertIcingaGroups(configuration),
  };
  remarkCommands(configuration, templates);
  remarkOtherTypes(configuration);
  const origin = (path: DocumentPath) => originOf(configuration, { hosts, contacts, templates }, path);
  leaveOutRefused(document, {
    ...{ configuration, origins: hosts.origins, originOf: origin },
    elsewhere: configuration.ofType("Host")[0]?.source,
  });
  const notes = notesOf(document, origin, source);
  remarkByDesign(report, { document, notes, rules: designRules(configuration) });
  return { document: withoutEmptySections(document), notes, items: report.items() };
}

/** Differences from Icinga 2 by design that states of objects can meet. */
function designRules(configuration: IcingaConfiguration): readonly DesignRule[] {
  const dependencies = configuration.ofType("Dependency");
  const heeding = new Set(
    dependencies
      .filter((each) => !attributeSwitch(each, "ignore_soft_states", true))
      .map((each) => attributeText(each, "child_host_name")),
  );
  return [
    {
      reason: "hard_behind_host",
      objects: "services with several attempts",
      why: "while the host is down the first problem of a service is hard, Icinga 2 counts its attempts",
      applies: ({ isHost, hasAttempts }) => !isHost && hasAttempts,
    },
    {
      reason: "soft_parent",
      objects: "hosts with such parents",
      why: "parents that are down and soft make a host unreachable, Icinga 2 ignores them",
      applies: ({ ref, parents }) => !heeding.has(ref) && parents.some(({ hasAttempts }) => hasAttempts),
    },
    {
      reason: "ancestor",
      objects: "hosts whose parents have parents",
      why: "the parents alone decide whether a host is unreachable, for Icinga 2 all ancestors",
      applies: ({ parents }) => parents.some(({ parents: above }) => above.length > 0),
    },
  ];
}

/** Comments and templates of the sources. */
function notesOf(
  document: CueObject,
  origin: (path: DocumentPath) => IcingaObject | undefined,
  { comments = new Map() }: IcingaObjects,
): SourceNotes {
  const paths = ["hosts", "contacts", "timeperiods", "commands"].flatMap((section) =>
    Object.entries((document[section] ?? {}) as Record<string, CueObject>).flatMap(([name, object]) => [
      { part: `${section} ${name}`, path: [section, name] },
      ...Object.keys((section === "hosts" && object["services"]) || {}).map((service) => ({
        part: `hosts ${name}!${service}`,
        path: [section, name, "services", service],
      })),
    ]),
  );
  return sourceNotes(
    paths.flatMap(({ part, path }) => {
      const object = origin(path);
      if (object === undefined) return [];
      const { source, type: kind, name } = object;
      const template = attributeList(object, "templates").find((each) => each !== shortName(object));
      return [{ part, source, kind, name, template, comment: comments.get(`${source.file}:${source.line}`) }];
    }),
  );
}

const commandTypes = ["CheckCommand", "NotificationCommand", "EventCommand"];

/** Reports the commands that the sources declare: used ones are in the document. */
function remarkCommands(configuration: IcingaConfiguration, templates: IcingaCommandTemplates): void {
  const used = new Set(templates.origins.values());
  for (const type of commandTypes)
    for (const command of configuration.ofType(type)) {
      if (configuration.isOfLibrary(command)) continue;
      const isUsed = used.has(command.name) || isMail(configuration, command);
      if (isUsed) configuration.converted(command);
      else configuration.approximated(command, "no object uses it, so it is not in the document");
    }
}

const isMail = (configuration: IcingaConfiguration, command: IcingaObject): boolean =>
  command.type === "NotificationCommand" &&
  configuration.ofType("Notification").some((each) => attributeText(each, "command") === command.name);

const knownTypes: ReadonlySet<string> = new Set([
  ...["Host", "Service", "HostGroup", "ServiceGroup", "User", "UserGroup", "TimePeriod", "Notification"],
  ...["Dependency", "ScheduledDowntime", ...commandTypes],
]);

/** Features that the agent always has. */
const builtInFeatures: ReadonlySet<string> = new Set(["CheckerComponent", "NotificationComponent"]);

const hints: Readonly<Record<string, string>> = {
  Zone: "name the zone of a check in the field zone, and start a worker for it",
  Endpoint: "workers connect to the agent: see its flag -worker",
  ApiListener: "give the address with the flag -listen",
  ApiUser: "declare identities in the document of -auth-config",
  FileLogger: "the log goes to stderr",
  SyslogLogger: "the log goes to stderr",
  JournaldLogger: "the log goes to stderr",
  ExternalCommandListener: "give the command file as a flag of the agent",
  IcingaDB: "the dashboard needs no database",
  IdoMysqlConnection: "the dashboard needs no database",
  IdoPgsqlConnection: "the dashboard needs no database",
  IcingaApplication: "settings of the whole program are flags of the agent, or toggles",
  GraphiteWriter: "declare a sink",
  InfluxdbWriter: "declare a sink",
  Influxdb2Writer: "declare a sink",
  ElasticsearchWriter: "declare a sink",
  GelfWriter: "declare a sink",
  OpenTsdbWriter: "declare a sink",
  PerfdataWriter: "declare a sink",
  OTLPMetricsWriter: "declare a sink of the type otlp",
  LivestatusListener: "the API of the agent answers queries",
  StatusDataWriter: "the API of the agent answers queries",
  Comment: "it belongs to the state of the program, not to its configuration",
  Downtime: "it belongs to the state of the program, not to its configuration",
};

/** True for settings of the whole program that change nothing. */
const isDefaultApplication = ({ type, attributes }: IcingaObject): boolean =>
  type === "IcingaApplication" && attributes.keys().every((key) => ["name", "__name", "templates"].includes(key));

function remarkOtherTypes(configuration: IcingaConfiguration): void {
  for (const object of configuration.objects.filter(({ type }) => !knownTypes.has(type)))
    if (builtInFeatures.has(object.type) || isDefaultApplication(object)) configuration.converted(object);
    else configuration.unsupported(object, hints[object.type] ?? "a document has no such object");
}

type Converted = {
  readonly hosts: IcingaHosts;
  readonly contacts: IcingaContacts;
  readonly templates: IcingaCommandTemplates;
};

/** Object from which a part of the document came. */
function originOf(
  configuration: IcingaConfiguration,
  { hosts, contacts, templates }: Converted,
  path: DocumentPath,
): IcingaObject | undefined {
  const [section, name = "", group, service] = path.map(String);
  switch (section) {
    case "hosts":
      return hosts.origins.get(group === "services" ? `${name}!${service}` : name);
    case "contacts":
      return contacts.origins.get(name);
    case "timeperiods":
      return configuration.find("TimePeriod", name);
    case "downtimes":
      return configuration.ofType("ScheduledDowntime").find((each) => each.name.split("!").at(-1) === name);
    case "commands": {
      const origin = templates.origins.get(name) ?? name;
      return commandTypes.map((type) => configuration.find(type, origin)).find((each) => each !== undefined);
    }
    default:
      return undefined;
  }
}
