import { BlockList, isIP } from "node:net";
import { fail, ok, type Result } from "../../model/result.ts";

/** Set of IP networks. */
export type NetworkList = {
  /** True when an IP address, without brackets and zone, is in one of the networks; false for any other text. */
  readonly includes: (address: string) => boolean;
};

export const noNetworks: NetworkList = { includes: () => false };

/** Parses a comma-separated list of addresses and CIDR blocks. The error is the end of a sentence about the text. */
export function parseNetworkList(text: string): Result<NetworkList, string> {
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
