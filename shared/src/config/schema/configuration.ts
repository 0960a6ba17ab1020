import { resourcesField } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { nonEmptyString } from "../parser/scalars.ts";
import { required, struct, withDefault } from "../parser/structs.ts";
import { contactsParser } from "./contact.ts";
import { dependenciesParser } from "./dependency.ts";
import { commandsParser, eventHandlersParser, handlersParser } from "./handler.ts";
import { hostsParser, processesParser } from "./host.ts";
import { policiesParser } from "./policy.ts";
import { datasourcesParser, slosParser, uiParser, viewsParser } from "./reporting.ts";
import { sinksParser } from "./sink.ts";
import { downtimesParser, timeperiodsParser } from "./timeperiod.ts";

/** The configuration document, evaluated: a closed struct with every default filled in and spans in ms. */
export const configurationParser = struct(
  {
    hosts: required(hostsParser, { help: "What has an address. May be empty." }),
    processes: withDefault(processesParser, new Map(), { help: "Business processes, made of other objects." }),
    resources: resourcesField({
      help: "Macros for paths and secrets: `$USER1$`.",
      example: { USER1: "/usr/lib/nagios/plugins" },
    }),
    commands: withDefault(commandsParser, new Map(), {
      help: "Command lines that checks, contacts and handlers name.",
    }),
    contacts: withDefault(contactsParser, new Map(), { help: "Whom notifications go to." }),
    notifications: withDefault(policiesParser, new Map(), {
      help: "Who is told of a problem, when, and who after that.",
    }),
    views: withDefault(viewsParser, new Map(), { help: "Selections with a name, for the dashboard." }),
    sinks: withDefault(sinksParser, new Map(), { help: "Where measurements and events are copied to." }),
    timezone: withDefault(nonEmptyString, "Local", {
      help: "Zone of timeperiods without one of their own; `Local` is the machine's.",
      example: "Europe/Berlin",
      constraint: "an IANA name or `Local`",
    }),
    timeperiods: withDefault(timeperiodsParser, new Map(), { help: "Hours of the week, days of the year." }),
    downtimes: withDefault(downtimesParser, new Map(), { help: "Downtimes that come again and again." }),
    slos: withDefault(slosParser, new Map(), {
      help: "Targets of availability.",
      constraint: "needs `ui.availability`",
    }),
    dependencies: withDefault(dependenciesParser, new Map(), { help: "When a problem is only another one's shadow." }),
    handlers: withDefault(handlersParser, new Map(), { help: "What can run when a status changes." }),
    event_handlers: withDefault(
      eventHandlersParser,
      { enabled: true, host: "", service: "" },
      { help: "What runs on every change of any object." },
    ),
    datasources: withDefault(datasourcesParser, new Map(), { help: "Where panels and metrics are read from." }),
    ui: withDefault(
      uiParser,
      { availability: undefined, panels: new Map() },
      { help: "What the dashboard shows beside objects." },
    ),
  },
  {
    title: "Configuration",
    intro: `What a realm watches, and whom it tells: the document behind \`-config\`, in [CUE](https://cuelang.org). One file, or a
directory whose files make one document. CUE is the template language too: definitions, defaults, comprehensions. A
name that is made is best written \`"\\(name)"\`: in a directory, \`(name)\` in a comprehension is not understood.

The document is closed: a field that is not on this page is an error, and so is a name that leads nowhere. All problems
are found in one go, each with file, line and column.

Durations are written as in Go: \`300ms\`, \`60s\`, \`1h30m\`, \`336h\`; there are no days. Selectors are requirements joined
by commas that all have to hold: \`app=shop\`, \`tier!=db\`, \`site in (fra,ams)\`, \`owner\`, \`!owner\`; beside labels they may
ask for \`@kind\`, \`@host\`, \`@name\`, \`@zone\`, \`@realm\`, \`@type\` and, where it says so, \`@status\`.`,
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
