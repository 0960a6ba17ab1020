import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { ok, type Result } from "../../model/result.ts";
import { noNetworks, parseNetworkList } from "./network-list.ts";

/** Networks to which this program opens no connection: `-outbound-deny`. */
export type OutboundPolicy = {
  /**
   * True when connections to a host are denied: an IP address, with or without brackets and zone. A name is never
   * denied itself; each address that it resolves to has to be checked.
   */
  readonly denies: (host: string) => boolean;
  /** Text from which `parseOutboundDeny` makes the same policy, in another thread for example. */
  readonly networks: string;
};

/** Policy that denies no connection. */
export const allowAllOutbound: OutboundPolicy = { denies: () => false, networks: "" };

/** Link-local networks, which contain most clouds' metadata service, and the metadata addresses outside of them. */
export const metadataNetworks = [
  "169.254.0.0/16",
  "fe80::/10",
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
].join(",");

/** Prefixes of IPv6 addresses in which the last 32 bits are the IPv4 address that a translator connects to. */
const translated = parseNetworkList("64:ff9b::/96,64:ff9b:1::/96,::/96");

/** Unspecified addresses: a connection to one of them is opened to this machine's loopback address. */
const unspecified = parseNetworkList("0.0.0.0,::");

/** Parses `-outbound-deny`, a comma-separated list of addresses and CIDR blocks; an empty list denies nothing. */
export function parseOutboundDeny(text: string): Result<OutboundPolicy, string> {
  const parsed = parseNetworkList(text);
  return parsed.ok ? ok(outboundPolicy(parsed.value, text)) : parsed;
}

function outboundPolicy(networks: typeof noNetworks, text: string): OutboundPolicy {
  const translators = translated.ok ? translated.value : noNetworks;
  const aliases = unspecified.ok ? unspecified.value : noNetworks;
  const deniesLoopback = networks.includes("127.0.0.1") || networks.includes("::1");
  return {
    networks: text,
    denies(host) {
      const address = host.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
      if (networks.includes(address) || (deniesLoopback && aliases.includes(address))) return true;
      return isIP(address) === 6 && translators.includes(address) && networks.includes(lastIpv4(address));
    },
  };
}

/** IPv4 address in the last 32 bits of an IPv6 address. */
function lastIpv4(address: string): string {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(address);
  if (dotted !== null) return dotted[0];
  const [high = "0", low = "0"] = address.replace("::", ":0:0:").split(":").slice(-2);
  const bits = Number.parseInt(high || "0", 16) * 65_536 + Number.parseInt(low || "0", 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join(".");
}

/** A connection was refused before it was opened, because `-outbound-deny` has its address. */
export class OutboundDenied extends Error {
  readonly code = "EOUTBOUNDDENIED";
  constructor() {
    super("connections to this address are denied by -outbound-deny");
  }
}

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
