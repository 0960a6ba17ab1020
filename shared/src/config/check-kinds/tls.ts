import { duration } from "../parser/numbers.ts";
import { nonEmptyString } from "../parser/scalars.ts";
import { required, withDefault } from "../parser/structs.ts";
import { defaultTlsPort, type StartTls, splitScheme, startTlsProtocolFor } from "../start-tls.ts";
import { checkKind } from "./check-kind.ts";
import { endpointConstraint, parseEndpoint } from "./endpoint.ts";

export type TlsSpec = {
  readonly type: "tls";
  readonly host: string;
  readonly port: number;
  /** Protocol in which TLS is requested; undefined when TLS begins with the first byte. */
  readonly startTls?: StartTls;
  readonly warnWithinMs: number;
  readonly critWithinMs: number;
};

export const tlsCheckKind = checkKind({
  summary: "Verifies the certificates of a TLS server and their expiry.",
  uses: "none",
  fields: {
    address: required(nonEmptyString, {
      help: "Server.",
      example: "www.example.org:443",
      constraint: `${endpointConstraint}; a host without a port means port 443. Ports 21, 25, 110, 143, 389, 587 and 5432 use STARTTLS of their protocol; the prefix \`ftp://\`, \`imap://\`, \`ldap://\`, \`pop3://\`, \`postgres://\` or \`smtp://\` selects it for another port, and \`tls://\` selects none`,
    }),
    warn_within: withDefault(duration, 1_209_600_000, {
      help: "Time before the expiry of a certificate from which the check is warning.",
      example: "720h",
    }),
    crit_within: withDefault(duration, 259_200_000, {
      help: "Time before the expiry of a certificate from which the check is critical.",
      example: "168h",
      constraint: "sensibly at most `warn_within`",
    }),
  },
  compile(check, path, compiler): TlsSpec {
    const { scheme, hostPort } = splitScheme(check.address);
    const server = parseEndpoint(hostPort, [...path, "address"], compiler, defaultTlsPort(scheme));
    const startTls = startTlsProtocolFor(scheme, server.port);
    const { warn_within: warnWithinMs, crit_within: critWithinMs } = check;
    return { type: "tls", ...server, ...(startTls === undefined ? {} : { startTls }), warnWithinMs, critWithinMs };
  },
  target: ({ host, port }) => `${host}:${port}`,
});
