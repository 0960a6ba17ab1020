/** IP version. Echoes of ICMP and ICMPv6 differ in type numbers only. */
export type IpFamily = 4 | 6;

/** Bytes of an echo without its IP header, as sent by `ping`. */
export const echoBytes = 64;
/** Bytes of the random cookie; a reply without the cookie is ignored. */
export const cookieBytes = 8;
const [cookieAt, numberAt] = [8, 16];

const requestType = { 4: 8, 6: 128 } as const;
const replyType = { 4: 0, 6: 129 } as const;

/**
 * Identifies the echoes of this process. Each echo has a number from 0 to 2^32 - 1: the upper half is added to `identity`
 * (0 to 65 535) and sent as the ICMP identifier, the lower half is the sequence number. So even the first 8 bytes, which
 * a router quotes in its error, contain the number.
 */
export type EchoSignature = { readonly identity: number; readonly cookie: Buffer };

/** Creates an echo request that lacks only its number. */
export function createEchoPacket(family: IpFamily, { cookie }: EchoSignature): Buffer {
  const packet = Buffer.alloc(echoBytes);
  packet[0] = requestType[family];
  cookie.copy(packet, cookieAt);
  for (let at = numberAt + 4; at < echoBytes; at++) packet[at] = at;
  return packet;
}

/** Writes `number` and the checksum into a packet. The kernel recalculates that of ICMPv6, which covers addresses. */
export function setEchoNumber(packet: Buffer, number: number, { identity }: EchoSignature): void {
  packet.writeUInt16BE((identity + (number >>> 16)) & 0xffff, 4);
  packet.writeUInt16BE(number & 0xffff, 6);
  packet.writeUInt32BE(number, numberAt);
  packet.writeUInt16BE(0, 2);
  packet.writeUInt16BE(checksum(packet, 0, packet.length), 2);
}

/** The Internet checksum (RFC 1071); 0 for an intact message that includes its checksum. */
export function checksum(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at += 2)
    sum += ((bytes[at] as number) << 8) | (at + 1 < end ? (bytes[at + 1] as number) : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** A received packet that concerns an echo of this process; `why` describes a router's ICMP error. */
export type EchoAnswer =
  | { readonly kind: "reply"; readonly number: number }
  | { readonly kind: "refusal"; readonly number: number; readonly why: string };

/**
 * Parses a packet of a raw socket: with its IP header for IPv4, without for IPv6.
 *
 * @returns undefined when the packet is damaged or concerns no echo of this process
 */
export function parseRawPacket(family: IpFamily, packet: Buffer, signature: EchoSignature): EchoAnswer | undefined {
  if (family === 6) return readMessage(6, packet, signature);
  const start = ipv4HeaderBytes(packet);
  if (start === undefined) return undefined;
  // Raw sockets receive packets before the kernel verifies the ICMP checksum.
  if (checksum(packet, start, packet.length) !== 0) return undefined;
  return readMessage(4, packet.subarray(start), signature);
}

/** Parses an ICMP message: an echo reply, or an error that quotes an echo request. */
function readMessage(family: IpFamily, message: Buffer, signature: EchoSignature): EchoAnswer | undefined {
  if (message.length < 8) return undefined;
  if (message[0] === replyType[family]) {
    const number = parseEchoReply(message, signature);
    const isOurs = number !== undefined && number === numberOfHead(message, signature);
    return isOurs ? { kind: "reply", number } : undefined;
  }
  const why = describeIcmpError(family, message[0] as number, message[1] as number);
  if (why === "") return undefined;
  const quoted = message.subarray(8);
  const start = family === 4 ? ipv4HeaderBytes(quoted) : ipv6HeaderBytes(quoted);
  if (start === undefined || quoted.length < start + 8 || quoted[start] !== requestType[family]) return undefined;
  return { kind: "refusal", number: numberOfHead(quoted.subarray(start), signature), why };
}

/** Number in the body of a reply; undefined when it has not the cookie of this process. */
export function parseEchoReply(message: Buffer, { cookie }: EchoSignature): number | undefined {
  if (message.length < echoBytes) return undefined;
  return message.compare(cookie, 0, cookieBytes, cookieAt, cookieAt + cookieBytes) === 0
    ? message.readUInt32BE(numberAt)
    : undefined;
}

const numberOfHead = (message: Buffer, { identity }: EchoSignature): number =>
  (((message.readUInt16BE(4) - identity) & 0xffff) * 65_536 + message.readUInt16BE(6)) >>> 0;

const [icmp4, icmp6] = [1, 58];

/** Length of an IPv4 header; undefined when it is not followed by ICMP. */
function ipv4HeaderBytes(packet: Buffer): number | undefined {
  if (packet.length < 20) return undefined;
  const bytes = ((packet[0] as number) & 15) * 4;
  const holds = (packet[0] as number) >> 4 === 4 && bytes >= 20 && packet[9] === icmp4 && packet.length >= bytes;
  return holds ? bytes : undefined;
}

/** Length of an IPv6 header; undefined when it is not followed by ICMPv6. Echoes are sent without extension headers. */
const ipv6HeaderBytes = (packet: Buffer): number | undefined =>
  packet.length >= 40 && (packet[0] as number) >> 4 === 6 && packet[6] === icmp6 ? 40 : undefined;

const unreachable4: Readonly<Record<number, string>> = {
  0: "network unreachable",
  1: "host unreachable",
  2: "protocol unreachable",
  9: "network prohibited",
  10: "host prohibited",
  13: "communication prohibited",
};
const unreachable6: Readonly<Record<number, string>> = {
  0: "no route",
  1: "communication prohibited",
  2: "beyond the scope of the source address",
  3: "address unreachable",
  5: "source address refused",
  6: "route rejected",
};

/** Describes an ICMP error by type and code; empty when the message does not mean that an echo failed. */
export function describeIcmpError(family: IpFamily, type: number, code: number): string {
  if (type === (family === 4 ? 3 : 1))
    return (family === 4 ? unreachable4 : unreachable6)[code] ?? `destination unreachable (code ${code})`;
  if (type === (family === 4 ? 11 : 3)) return "too many hops";
  return type === (family === 4 ? 12 : 4) ? "parameter problem" : "";
}
