import { resourcesField } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { nonEmptyString } from "../parser/scalars.ts";
import { required, struct, withDefault } from "../parser/structs.ts";
import { commandsParser } from "./command.ts";
import { contactsParser } from "./contact.ts";
import { datasourcesParser } from "./datasource.ts";
import { dependenciesParser } from "./dependency.ts";
import { downtimesParser } from "./downtime.ts";
import { eventHandlersParser, handlersParser } from "./handler.ts";
import { hostsParser } from "./host.ts";
import { policiesParser } from "./policy.ts";
import { processesParser } from "./process.ts";
import { receiversParser } from "./receiver.ts";
import { sinksParser } from "./sink.ts";
import { slosParser } from "./slo.ts";
import { timeperiodsParser } from "./timeperiod.ts";
import { uiParser } from "./ui.ts";
import { viewsParser } from "./view.ts";

/** Parser of the evaluated configuration document: a closed struct. Yields all defaults, and durations in ms. */
export const configurationParser = struct(
  {
    hosts: required(hostsParser, { help: "Hosts and their services. May be empty." }),
    processes: withDefault(processesParser, new Map(), {
      help: "Business processes, whose status is computed from other objects.",
    }),
    resources: resourcesField({
      help: "Values of the macros `$USER1$`, `$USER2$` and so on, for paths and secrets.",
      example: { USER1: "/usr/lib/nagios/plugins" },
    }),
    commands: withDefault(commandsParser, new Map(), { help: "Command lines for checks, contacts and handlers." }),
    contacts: withDefault(contactsParser, new Map(), { help: "Recipients of notifications." }),
    notifications: withDefault(policiesParser, new Map(), {
      help: "Notification policies: recipients, hours and escalation.",
    }),
    views: withDefault(viewsParser, new Map(), { help: "Named selections of objects for the dashboard." }),
    sinks: withDefault(sinksParser, new Map(), { help: "Systems to which performance data and events are copied." }),
    timezone: withDefault(nonEmptyString, "Local", {
      help: "Time zone of timeperiods without one of their own; `Local` is the machine's.",
      example: "Europe/Berlin",
      constraint: "an IANA name or `Local`",
    }),
    timeperiods: withDefault(timeperiodsParser, new Map(), { help: "Hours of the week and days of the year." }),
    downtimes: withDefault(downtimesParser, new Map(), { help: "Recurring downtimes." }),
    slos: withDefault(slosParser, new Map(), {
      help: "Service level objectives: targets for availability.",
      constraint: "needs `ui.availability`",
    }),
    dependencies: withDefault(dependenciesParser, new Map(), {
      help: "Suppression of notifications that follow from another problem.",
    }),
    handlers: withDefault(handlersParser, new Map(), { help: "Programs that can run when an object changes." }),
    event_handlers: withDefault(
      eventHandlersParser,
      { enabled: true, host: "", service: "" },
      { help: "Handlers for all hosts and all services." },
    ),
    datasources: withDefault(datasourcesParser, new Map(), { help: "Sources of the data of panels and metrics." }),
    receivers: withDefault(receiversParser, new Map(), { help: "Systems whose alerts are taken as results." }),
    ui: withDefault(
      uiParser,
      { availability: undefined, panels: new Map() },
      { help: "Further content of the dashboard." },
    ),
  },
  {
    title: "Configuration",
    intro: `Objects and notifications of a realm: the document of \`-config\`, in [CUE](https://cuelang.org). It is one file, or a
directory whose files form one document. CUE is also the template language: definitions, defaults, comprehensions. Write
a computed name as \`"\\(name)"\`: in a directory, \`(name)\` is not supported in a comprehension.

The document is closed: an unknown field is an error, and so is a reference to a name that is not declared. All problems
are reported together, each with file, line and column.

Durations use Go's syntax: \`300ms\`, \`60s\`, \`1h30m\`, \`336h\`; there is no unit for days. A selector is a list of
requirements separated by commas, all of which must hold: \`app=shop\`, \`tier!=db\`, \`site in (fra,ams)\`, \`owner\`,
\`!owner\`. Besides labels, a requirement may use \`@kind\`, \`@host\`, \`@name\`, \`@zone\`, \`@realm\`, \`@type\`, \`@parent\` (of
a host) and, where the field allows it, \`@status\`, \`@cause\` (the topmost cause of a problem) and \`@dependency\` (what the
dependencies of an object read).`,
    example: `#Host: {
	address: string
	// A default that a host may override.
	check: *{type: "icmp", host: address, flap: {}} | {...}
	notification: "ops"
	...
}
hosts: [string]: #Host
hosts: {
	gw: address: "192.0.2.1"
	web1: {address: "192.0.2.10", parents: ["gw"], services: http: check: {type: "http", url: "http://192.0.2.10/", flap: {}}}
}
contacts: ann: {type: "email", address: "ann@example.org"}
notifications: ops: levels: [{contacts: ["ann"]}]`,
  },
);
export type RealmDocument = ParserOutput<typeof configurationParser>;
