import { check } from "./check.ts";
import { defaultFlap, flap } from "./flap.ts";
import { hostName, labels, objectName, vars } from "../parser/names.ts";
import type { Read } from "../parser/parser.ts";
import { rule } from "./rule.ts";
import { list, map, optional, required, struct } from "../parser/structs.ts";
import { filled, flag, text, word } from "../parser/strings.ts";

const common = {
  notification: optional(text, "", {
    help: "Who is told of its problems; empty: nobody.",
    example: "shop",
    constraint: "a key of `notifications`",
  }),
  vars: vars({
    help: "Macros of its own: `PORT` is `$_HOSTPORT$` on a host, `$_SERVICEPORT$` on a service.",
    example: { PORT: "8080" },
  }),
  handler: optional(text, "", {
    help: "What runs when its status changes; empty: nothing.",
    example: "restart",
    constraint: "a key of `handlers`",
  }),
  handler_enabled: optional(flag, true, { help: "Whether handlers run for it at all.", example: false }),
};

const service = struct(
  {
    check: required(check, { help: "How it is looked at." }),
    labels: labels({ help: "Labels, on top of its host's.", example: { app: "shop" } }),
    zone: optional(text, "", { help: "Where its check runs; empty: where its host's does.", example: "dmz" }),
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
    address: required(filled, { help: "Where it is reached: value of `$HOSTADDRESS$`.", example: "192.0.2.10" }),
    check: required(check, { help: "How it is looked at." }),
    services: optional(map(service, objectName), new Map(), { help: "What runs on it." }),
    parents: optional(list(text), [], {
      help: "Hosts on the way to it: when all of them are down, it is unreachable and not down.",
      example: ["gw"],
      constraint: "each a key of `hosts`; no cycles",
    }),
    labels: labels({ help: "What selectors can ask for.", example: { site: "fra", tier: "web" } }),
    zone: optional(filled, "default", { help: "Where its checks run.", example: "dmz" }),
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
    rule: required(rule, { help: "What its status is made of." }),
    labels: labels({ help: "What selectors can ask for.", example: { app: "shop" } }),
    vars: vars({ help: "Macros of its own.", example: { OWNER: "shop team" } }),
    notification: optional(text, "", {
      help: "Who is told of its problems; empty: nobody.",
      example: "shop",
      constraint: "a key of `notifications`",
    }),
    flap: optional(flap, defaultFlap, { help: "Flap detection." }),
    states: optional(word(["hard", "soft"]), "hard", {
      help: "Whether it follows confirmed states only, or every result.",
      example: "soft",
    }),
    ignore: optional(list(word(["downtime", "acknowledged"])), [], {
      help: "Children that count as ok, whatever they say.",
      example: ["downtime"],
    }),
    description: optional(text, "", { help: "Free text.", example: "Customers can order." }),
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

export const hosts = map(host, hostName);
export const processes = map(process, objectName);
export type HostDocument = Read<typeof host>;
export type ServiceDocument = Read<typeof service>;
export type ProcessDocument = Read<typeof process>;
