import { labelsField, objectNameRule, varsField } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { picklist, string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";
import { defaultFlap, flapParser } from "./flap.ts";
import { ruleParser } from "./rule.ts";
import { notificationField } from "./service.ts";

const process = struct(
  {
    rule: required(ruleParser, { help: "Rule that computes the status." }),
    labels: labelsField({ help: "Labels for selectors.", example: { app: "shop" } }),
    vars: varsField({ help: "Custom macros.", example: { OWNER: "shop team" } }),
    notification: notificationField,
    flap: withDefault(flapParser, defaultFlap, { help: "Flap detection." }),
    states: withDefault(picklist(["hard", "soft"]), "hard", {
      help: "States that the rule reads: hard states only, or the status of every result.",
      example: "soft",
    }),
    ignore: withDefault(list(picklist(["downtime", "acknowledged"])), [], {
      help: "Children in these conditions count as ok.",
      example: ["downtime"],
    }),
    description: withDefault(string, "", { help: "Free text.", example: "Customers can order." }),
  },
  {
    title: "Process",
    intro: `A business process: its status is computed from other objects. \`process:shop\` refers to the process \`shop\`.`,
    example: `hosts: {for name in ["web1", "web2", "db1"] {"\\(name)": {address: name, check: {type: "icmp", host: name, flap: {}}}}}
processes: shop: {
	// The database, and one of the two front ends.
	rule: all: [{ref: "db1"}, {any: [{ref: "web1"}, {ref: "web2"}]}]
	ignore: ["downtime"]
	description: "Customers can order."
}`,
  },
);

export const processesParser = map(process, objectNameRule);
export type ProcessDocument = ParserOutput<typeof process>;
