import { hostNameRule, labelsField, objectNameRule } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { nonEmptyString, string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";
import { checkParser } from "./check.ts";
import { checkedObjectFields, serviceParser } from "./service.ts";

const host = struct(
  {
    address: required(nonEmptyString, {
      help: "Address of the host: value of `$HOSTADDRESS$`.",
      example: "192.0.2.10",
    }),
    check: required(checkParser, { help: "Check of the host." }),
    services: withDefault(map(serviceParser, objectNameRule), new Map(), { help: "Services of the host." }),
    parents: withDefault(list(string), [], {
      help: "Hosts on the network path to the host. If all of them are down, the host is unreachable instead of down.",
      example: ["gw"],
      constraint: "each a key of `hosts`; no cycles",
    }),
    labels: labelsField({ help: "Labels for selectors.", example: { site: "fra", tier: "web" } }),
    zone: withDefault(nonEmptyString, "default", {
      help: "Zone in which the host's checks run.",
      example: "dmz",
    }),
    ...checkedObjectFields,
  },
  {
    title: "Host",
    intro: "A machine, a switch, a site: anything with an address. Its name is the key of `hosts`.",
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

export const hostsParser = map(host, hostNameRule);
export type HostDocument = ParserOutput<typeof host>;
