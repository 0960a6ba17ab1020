import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { contactKind } from "./contact-kind.ts";

export const pagerKind = contactKind({
  summary: "An event for a paging service; the incident closes with the recovery.",
  uses: "none",
  fields: {
    routing_key: required(nonEmptyString, {
      help: "Routing key of the service's events API; as secret as a password.",
      example: "0123456789abcdef0123456789abcdef",
      secret: true,
    }),
  },
  compile: ({ routing_key: routingKey }) => ({ routingKey }),
});
