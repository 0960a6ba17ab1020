import { hostNameRule, labelsField, objectNameRule } from "../parser/names.ts";
import { createParser, type ParserOutput } from "../parser/parser.ts";
import { nonEmptyString, string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";
import { checkParser } from "./check.ts";
import { checkedObjectFields, type ServiceDocument, serviceParser } from "./service.ts";

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

/** Part of a service that the rest of a document can see. */
export type ServiceFacts = Pick<ServiceDocument, "labels" | "zone"> & {
  readonly check: { readonly type: string } | undefined;
};

/** Part of a host that the rest of a document can see. */
export type HostFacts = Pick<HostDocument, "labels" | "zone" | "parents"> & {
  readonly check: { readonly type: string } | undefined;
  readonly services: ReadonlyMap<string, ServiceFacts>;
};

/** Place of a host in a plan, and the identities of its objects there. */
type HostPlace = {
  readonly index: number;
  /** Index of its first service. */
  readonly firstService: number;
  readonly identity: string;
  readonly serviceIdentities: readonly string[];
  /** True when other objects define something of one of its services. */
  readonly hasLinkedServices: boolean;
};

/** Host of an earlier valid document. It stands in an evaluated document in place of a host that has not changed. */
export class CheckedHost implements HostFacts, HostPlace {
  readonly labels: HostFacts["labels"];
  readonly zone: string;
  readonly parents: readonly string[];
  readonly check: HostFacts["check"];
  readonly services: HostFacts["services"];
  readonly index: number;
  readonly firstService: number;
  readonly identity: string;
  readonly serviceIdentities: readonly string[];
  readonly hasLinkedServices: boolean;

  constructor({ labels, zone, parents, check, services }: HostFacts, place: HostPlace) {
    this.labels = labels;
    this.zone = zone;
    this.parents = parents;
    this.check = check;
    this.services = services;
    this.index = place.index;
    this.firstService = place.firstService;
    this.identity = place.identity;
    this.serviceIdentities = place.serviceIdentities;
    this.hasLinkedServices = place.hasLinkedServices;
  }
}

const hostOrChecked = createParser<HostDocument | CheckedHost>(host.schema, (value, node, context) =>
  value instanceof CheckedHost ? value : host(value, node, context),
);

export const hostsParser = map(hostOrChecked, hostNameRule);
export type HostDocument = ParserOutput<typeof host>;
