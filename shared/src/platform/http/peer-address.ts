import { isIP } from "node:net";
import type { NetworkList } from "../network/network-list.ts";

/**
 * Returns the caller's address. Behind trusted proxies it is the last address of `X-Forwarded-For` that is not a
 * trusted proxy: each proxy appends the address it saw on the right, so addresses further left are unverified.
 */
export function resolvePeer(socketAddress: string, forwardedFor: string | undefined, trusted: NetworkList): string {
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
