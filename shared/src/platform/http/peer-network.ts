import { isIPv6 } from "node:net";

/**
 * Key by which limits count a peer: an IPv4 address itself, of an IPv6 address the network of 64 bits, since one host
 * can use all addresses of it. Another text, such as the name of a NATS connection, is its own key.
 */
export function peerNetwork(peer: string): string {
  if (!isIPv6(peer)) return peer;
  const [head = "", tail] = (peer.split("%", 1)[0] ?? "").toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const length = 8 - (peer.includes(".") ? 1 : 0);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, length - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
