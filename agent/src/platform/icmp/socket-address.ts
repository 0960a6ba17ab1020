import { networkInterfaces } from "node:os";
import { AF_INET, AF_INET6 } from "../libc/socket-constants.ts";

/** `struct sockaddr` of an IP address, port 0. IPv6 may have a zone: `fe80::1%eth0`. Throws for other text. */
export function socketAddress(address: string): Buffer {
  return address.includes(":") ? socketAddress6(address) : socketAddress4(address);
}

function socketAddress4(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF_INET, 0);
  for (const [at, part] of address.split(".").entries()) bytes[4 + at] = Number(part);
  return bytes;
}

function socketAddress6(address: string): Buffer {
  const [plain = "", zone = ""] = address.split("%");
  const bytes = Buffer.alloc(28);
  bytes.writeUInt16LE(AF_INET6, 0);
  for (const [at, group] of groupsOf(plain).entries()) bytes.writeUInt16BE(group, 8 + 2 * at);
  bytes.writeUInt32LE(zoneNumber(zone), 24);
  return bytes;
}

/** The eight groups of an IPv6 address, from its canonical form in a URL. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const parts = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [front, back] = [parts(head), parts(tail ?? "")];
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function zoneNumber(zone: string): number {
  if (/^\d*$/.test(zone)) return Number(zone);
  return networkInterfaces()[zone]?.find((one) => one.family === "IPv6")?.scopeid ?? 0;
}
