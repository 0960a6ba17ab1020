import { labelsField, referenceField, varsField } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean, string } from "../parser/scalars.ts";
import { required, struct, withDefault } from "../parser/structs.ts";
import { checkParser } from "./check.ts";

/** Field for the notification policy of a host, service or process. */
export const notificationField = referenceField(
  "notifications",
  "Notification policy for problems of the object; empty: no notifications.",
  "shop",
);

/** Fields of hosts and services. */
export const checkedObjectFields = {
  notification: notificationField,
  vars: varsField({
    help: "Custom macros: `PORT` is `$_HOSTPORT$` on a host and `$_SERVICEPORT$` on a service.",
    example: { PORT: "8080" },
  }),
  handler: referenceField("handlers", "Handler that runs when the object's status changes; empty: none.", "restart"),
  handler_enabled: withDefault(boolean, true, { help: "Enables handlers for the object.", example: false }),
};

export const serviceParser = struct(
  {
    check: required(checkParser, { help: "Check of the service." }),
    labels: labelsField({ help: "Labels, in addition to those of the host.", example: { app: "shop" } }),
    zone: withDefault(string, "", {
      help: "Zone in which the check runs; empty: the host's zone.",
      example: "dmz",
    }),
    ...checkedObjectFields,
  },
  {
    title: "Service",
    intro: `A function of a host with a check of its own. While the host is down, a problem of the service counts as handled.
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
export type ServiceDocument = ParserOutput<typeof serviceParser>;
