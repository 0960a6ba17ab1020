import { hostNameRule, labelsField, objectNameRule, varsField } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean, nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";
import { checkParser } from "./check.ts";
import { defaultFlap, flapParser } from "./flap.ts";
import { ruleParser } from "./rule.ts";

const common = {
  notification: withDefault(string, "", {
    help: "Who is told of its problems; empty: nobody.",
    example: "shop",
    constraint: "a key of `notifications`",
  }),
  vars: varsField({
    help: "Macros of its own: `PORT` is `$_HOSTPORT$` on a host, `$_SERVICEPORT$` on a service.",
    example: { PORT: "8080" },
  }),
  handler: withDefault(string, "", {
    help: "What runs when its status changes; empty: nothing.",
    example: "restart",
    constraint: "a key of `handlers`",
  }),
  handler_enabled: withDefault(boolean, true, { help: "Whether handlers run for it at all.", example: false }),
};

const service = struct(
  {
    check: required(checkParser, { help: "How it is looked at." }),
    labels: labelsField({ help: "Labels, on top of its host's.", example: { app: "shop" } }),
    zone: withDefault(string, "", { help: "Where its check runs; empty: where its host's does.", example: "dmz" }),
    ...common,
  },
  {
    title: "Service",
    intro: `Something on a host that is looked at on its own. While its host is down, a service's problem counts as handled.
\`web1!http\` refers to the service \`http\` of the host \`web1\`.`,
    example: `hosts: db1: {
	address: "192.0.2.20"
	labels: site: "fra"
	check: {type: "icmp", host: "192.0.2.20", flap: {}}
	services: postgres: {
		check: {type: "tcp", address: "192.0.2.20:5432", check_interval: "30s", flap: {}}
		labels: app: "shop"
	}
}`,
  },
);

const host = struct(
  {
    address: required(nonEmptyString, {
      help: "Where it is reached: value of `$HOSTADDRESS$`.",
      example: "192.0.2.10",
    }),
    check: required(checkParser, { help: "How it is looked at." }),
    services: withDefault(map(service, objectNameRule), new Map(), { help: "What runs on it." }),
    parents: withDefault(list(string), [], {
      help: "Hosts on the way to it: when all of them are down, it is unreachable and not down.",
      example: ["gw"],
      constraint: "each a key of `hosts`; no cycles",
    }),
    labels: labelsField({ help: "What selectors can ask for.", example: { site: "fra", tier: "web" } }),
    zone: withDefault(nonEmptyString, "default", { help: "Where its checks run.", example: "dmz" }),
    ...common,
  },
  {
    title: "Host",
    intro: "A machine, a switch, a site: something with an address. Its name is the key of `hosts`.",
    example: `hosts: {
	gw: {address: "192.0.2.1", check: {type: "icmp", host: "192.0.2.1", flap: {}}}
	web1: {
		address: "192.0.2.10"
		parents: ["gw"]
		labels: {site: "fra", tier: "web"}
		check: {type: "icmp", host: "192.0.2.10", flap: {}}
	}
}`,
  },
);

const process = struct(
  {
    rule: required(ruleParser, { help: "What its status is made of." }),
    labels: labelsField({ help: "What selectors can ask for.", example: { app: "shop" } }),
    vars: varsField({ help: "Macros of its own.", example: { OWNER: "shop team" } }),
    notification: withDefault(string, "", {
      help: "Who is told of its problems; empty: nobody.",
      example: "shop",
      constraint: "a key of `notifications`",
    }),
    flap: withDefault(flapParser, defaultFlap, { help: "Flap detection." }),
    states: withDefault(picklist(["hard", "soft"]), "hard", {
      help: "Whether it follows confirmed states only, or every result.",
      example: "soft",
    }),
    ignore: withDefault(list(picklist(["downtime", "acknowledged"])), [], {
      help: "Children that count as ok, whatever they say.",
      example: ["downtime"],
    }),
    description: withDefault(string, "", { help: "Free text.", example: "Customers can order." }),
  },
  {
    title: "Process",
    intro: `A business process: its status is worked out from other objects, so that one line says whether what matters works.
\`process:shop\` refers to the process \`shop\`.`,
    example: `hosts: {for name in ["web1", "web2", "db1"] {"\\(name)": {address: name, check: {type: "icmp", host: name, flap: {}}}}}
processes: shop: {
	// The database, and one of the two front ends.
	rule: all: [{ref: "db1"}, {any: [{ref: "web1"}, {ref: "web2"}]}]
	ignore: ["downtime"]
	description: "Customers can order."
}`,
  },
);

export const hostsParser = map(host, hostNameRule);
export const processesParser = map(process, objectNameRule);
export type HostDocument = ParserOutput<typeof host>;
export type ServiceDocument = ParserOutput<typeof service>;
export type ProcessDocument = ParserOutput<typeof process>;
