import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { checkKind } from "./check-kind.ts";
import { endpointConstraint, parseEndpoint } from "./endpoint.ts";

export type TcpSpec = { readonly type: "tcp"; readonly host: string; readonly port: number };

export const tcpCheckKind = checkKind({
  summary: "Opens a TCP connection.",
  uses: "none",
  fields: {
    address: required(nonEmptyString, {
      help: "Address to connect to.",
      example: "192.0.2.10:22",
      constraint: endpointConstraint,
    }),
  },
  compile: ({ address }, path, compiler): TcpSpec => ({
    type: "tcp",
    ...parseEndpoint(address, [...path, "address"], compiler),
  }),
  target: ({ host, port }) => `${host}:${port}`,
});
