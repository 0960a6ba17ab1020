import { BlockList, isIP } from "node:net";
import { fail, ok, type Result } from "../../model/result.ts";

/** Addresses of reverse proxies whose `X-Forwarded-For` header is trusted. */
export type TrustedProxies = { readonly includes: (address: string) => boolean };

export const noTrustedProxies: TrustedProxies = { includes: () => false };

/** Parses a comma-separated list of addresses and CIDR blocks; an empty list trusts no proxy. */
export function parseTrustedProxies(text: string): Result<TrustedProxies, string> {
  const list = new BlockList();
  for (const entry of text.split(",").map((e) => e.trim())) {
    if (entry === "") continue;
    const [address = "", bits, ...rest] = entry.split("/");
    const version = isIP(address);
    const maxLength = version === 6 ? 128 : 32;
    const length = bits === undefined ? maxLength : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (version === 0 || rest.length > 0 || !(length <= maxLength)) {
      return fail(`has ${JSON.stringify(entry)}, which is neither an address nor a CIDR block`);
    }
    list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
  }
  return ok({
    includes: (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
  });
}

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
function plainAddress(text: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
}
