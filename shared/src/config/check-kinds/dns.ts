import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { checkKind } from "./check-kind.ts";
import { endpointConstraint, parseEndpoint } from "./endpoint.ts";

export type DnsSpec = { readonly type: "dns"; readonly host: string; readonly port: number; readonly name: string };

export const dnsCheckKind = checkKind({
  summary: "Queries a name server for the A and AAAA records of a name; any address is ok.",
  uses: "none",
  fields: {
    server: required(nonEmptyString, {
      help: "Name server.",
      example: "192.0.2.53:53",
      constraint: endpointConstraint,
    }),
    name: required(nonEmptyString, { help: "Name to resolve.", example: "www.example.org" }),
  },
  compile: ({ server, name }, path, compiler): DnsSpec => ({
    type: "dns",
    ...parseEndpoint(server, [...path, "server"], compiler),
    name,
  }),
  target: ({ name, host, port }) => `${name} @${host}:${port}`,
});
