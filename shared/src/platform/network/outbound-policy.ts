import { isIP } from "node:net";
import { ok, type Result } from "../../model/result.ts";
import { type NetworkList, noNetworks, parseNetworkList } from "./network-list.ts";

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
const translated = "64:ff9b::/96,64:ff9b:1::/48,::/96,::ffff:0:0:0/96";
/** Prefix of IPv6 addresses (6to4) in which the 32 bits after it are the IPv4 address to which packets go. */
const tunnelled = "2002::/16";

/** Unspecified addresses: a connection to one of them is opened to this machine's loopback address. */
const unspecified = "0.0.0.0,::";

/** Parses `-outbound-deny`, a comma-separated list of addresses and CIDR blocks; an empty list denies nothing. */
export function parseOutboundDeny(text: string): Result<OutboundPolicy, string> {
  const parsed = parseNetworkList(text);
  return parsed.ok ? ok(outboundPolicy(parsed.value, text)) : parsed;
}

function knownNetworks(text: string): NetworkList {
  const parsed = parseNetworkList(text);
  return parsed.ok ? parsed.value : noNetworks;
}

function outboundPolicy(networks: NetworkList, text: string): OutboundPolicy {
  const translators = knownNetworks(translated);
  const tunnels = knownNetworks(tunnelled);
  const aliases = knownNetworks(unspecified);
  const deniesLoopback = networks.includes("127.0.0.1") || networks.includes("::1");
  return {
    networks: text,
    denies(host) {
      const address = host.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
      if (networks.includes(address) || (deniesLoopback && aliases.includes(address))) return true;
      if (isIP(address) !== 6) return false;
      const at = translators.includes(address) ? 6 : tunnels.includes(address) ? 1 : undefined;
      return at !== undefined && networks.includes(ipv4In(address, at));
    },
  };
}

/** IPv4 address in two of the eight groups of an IPv6 address, from the group `at` on. */
function ipv4In(address: string, at: number): string {
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const [left, right] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right];
  const [high, low] = groups.slice(at, at + 2).map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** A connection was refused before it was opened, because `-outbound-deny` has its address. */
export class OutboundDenied extends Error {
  readonly code = "EOUTBOUNDDENIED";
  constructor() {
    super("connections to this address are denied by -outbound-deny");
  }
}
