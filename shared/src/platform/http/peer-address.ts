import { isIP } from "node:net";
import { type NetworkList, parseNetworkList } from "../network/network-list.ts";

/** Addresses of reverse proxies whose `X-Forwarded-For` header is trusted. */
export type TrustedProxies = NetworkList;

/** Parses a comma-separated list of addresses and CIDR blocks; an empty list trusts no proxy. */
export const parseTrustedProxies = parseNetworkList;

/**
 * Returns the caller's address. Behind trusted proxies it is the last address of `X-Forwarded-For` that is not a
 * trusted proxy: each proxy appends the address it saw on the right, so addresses further left are unverified.
 */
export function resolvePeer(socketAddress: string, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  let peer = plainAddress(socketAddress);
  const hops = forwardedFor?.split(",") ?? [];
  while (trusted.includes(peer)) {
    const hop = plainAddress(hops.pop()?.trim() ?? "");
    if (isIP(hop) === 0) break;
    peer = hop;
  }
  return peer;
}

/** Strips the port, the brackets and the `::ffff:` prefix of an IPv4-mapped address. */
export function plainAddress(text: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
}
