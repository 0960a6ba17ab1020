import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { OutboundDenied, type OutboundPolicy } from "./outbound-policy.ts";

/**
 * Lookup function for Node.js sockets that leaves out denied addresses and fails with `OutboundDenied` when none is
 * left. Sockets do not call it for a host that is an address: check `policy.denies(host)` before.
 */
function outboundLookup(policy: OutboundPolicy, lookup: LookupFunction = systemLookup): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, "", 0);
      const all = typeof found === "string" ? [{ address: found, family: isIP(found) }] : found;
      const allowed = all.filter(({ address }) => !policy.denies(address));
      const [first] = allowed;
      if (first === undefined) return done(new OutboundDenied(), "", 0);
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

type OutboundConnectorOptions = buildConnector.BuildOptions & {
  /** Resolver of names. Default: that of the system. */
  readonly lookup?: LookupFunction;
};

/**
 * Value of the option `connect` of an undici `Agent`. It is called for each new connection, thus also after a redirect,
 * and fails with `OutboundDenied` for an address that the policy denies, given as host or found by resolution.
 */
export function outboundConnector(
  policy: OutboundPolicy,
  { lookup, ...options }: OutboundConnectorOptions = {},
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: outboundLookup(policy, lookup) });
  return (target, done) => {
    if (policy.denies(target.hostname)) done(new OutboundDenied(), null);
    else connect(target, done);
  };
}
