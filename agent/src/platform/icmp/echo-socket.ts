import { getSystemErrorName } from "node:util";
import type { Libc } from "../libc/libc.ts";
import {
  AF_INET,
  AF_INET6,
  IPPROTO_ICMP,
  IPPROTO_ICMPV6,
  MSG_ERRQUEUE,
  SO_RCVBUF,
  SO_RCVBUFFORCE,
  SO_TIMESTAMPNS,
  SOCK_DGRAM,
  SOCK_RAW,
  SOL_SOCKET,
} from "../libc/socket-constants.ts";
import {
  createEchoPacket,
  describeIcmpError,
  type EchoAnswer,
  type EchoSignature,
  type IpFamily,
  parseEchoReply,
  parseRawPacket,
  setEchoNumber,
} from "./echo-packet.ts";
import type { EchoSendResult } from "./echo-rounds.ts";
import type { openMessageReceiver, ReceivedMessage } from "./message-receiver.ts";

/** Receive buffer, bytes: holds about ten thousand replies. */
const receiveBytes = 4_194_304;
const [EAGAIN, EINTR, ENOBUFS] = [11, 4, 105];

/** Socket that all echoes of an IP version share. */
export type EchoSocket = {
  readonly fd: number;
  send(to: Buffer, number: number): EchoSendResult;
  /** Passes at most one batch of received packets to `take`; true when more may be waiting. */
  receive(take: (answer: EchoAnswer, stampedMs: number | undefined) => void): boolean;
};

type EchoSocketParts = {
  readonly libc: Libc;
  readonly receive: ReturnType<typeof openMessageReceiver>;
  readonly signature: EchoSignature;
  /** First number of the next round; see `EchoRounds`. */
  nextNumber(): number;
};

/** Opens a raw socket, else an ICMP datagram socket ("ping socket"); undefined when neither is permitted. */
export function openEchoSocket(family: IpFamily, parts: EchoSocketParts): EchoSocket | undefined {
  const [domain, protocol] = family === 4 ? [AF_INET, IPPROTO_ICMP] : [AF_INET6, IPPROTO_ICMPV6];
  const { libc } = parts;
  const raw = libc.socket(domain, SOCK_RAW, protocol);
  const fd = raw >= 0 ? raw : libc.socket(domain, SOCK_DGRAM, protocol);
  if (fd < 0) return undefined;
  const number = (value: number): Buffer => Buffer.from(new Int32Array([value]).buffer);
  if (libc.setSocketOption(fd, [SOL_SOCKET, SO_RCVBUFFORCE], number(receiveBytes)) < 0)
    libc.setSocketOption(fd, [SOL_SOCKET, SO_RCVBUF], number(receiveBytes));
  libc.setSocketOption(fd, [SOL_SOCKET, SO_TIMESTAMPNS], number(1));
  if (raw >= 0) keepAnswersOnly(family, fd, libc);
  else libc.setSocketOption(fd, errorQueue[family], number(1));
  const { send, sendOnce } = sender(family, fd, parts);
  return {
    fd,
    ...(raw >= 0
      ? { send: sendOnce, receive: rawReceiver(family, fd, parts) }
      : { send, receive: ownReceiver(family, fd, parts) }),
  };
}

/** Sets a filter that drops messages other than replies and errors, such as the sent requests on loopback. */
function keepAnswersOnly(family: IpFamily, fd: number, libc: Libc): void {
  // A set bit drops a message type.
  const dropped = new Uint32Array(family === 4 ? 1 : 8).fill(0xffff_ffff);
  for (const type of family === 4 ? [0, 3, 11, 12] : [1, 3, 4, 129])
    dropped[type >>> 5] = (dropped[type >>> 5] as number) & ~(1 << (type & 31));
  const [SOL_RAW, ICMP_FILTER, ICMP6_FILTER] = [255, 1, 1];
  const option = family === 4 ? ([SOL_RAW, ICMP_FILTER] as const) : ([IPPROTO_ICMPV6, ICMP6_FILTER] as const);
  libc.setSocketOption(fd, option, Buffer.from(dropped.buffer));
}

function sender(family: IpFamily, fd: number, { libc, signature }: EchoSocketParts) {
  const packet = createEchoPacket(family, signature);
  function sendOnce(to: Buffer, number: number): EchoSendResult {
    setEchoNumber(packet, number, signature);
    if (libc.sendTo(fd, packet, to) >= 0) return "sent";
    const errno = libc.errno();
    if (errno === EAGAIN || errno === EINTR || errno === ENOBUFS) return "busy";
    return { code: getSystemErrorName(-errno) };
  }
  /** Sends, and repeats a failed call: a ping socket reports the error of an earlier echo at the next call. */
  const send = (to: Buffer, number: number): EchoSendResult => {
    const sending = sendOnce(to, number);
    return typeof sending === "string" ? sending : sendOnce(to, number);
  };
  return { send, sendOnce };
}

function rawReceiver(family: IpFamily, fd: number, { receive, signature }: EchoSocketParts): EchoSocket["receive"] {
  return (take) =>
    receive(fd, 0, ({ data, stampedMs }) => {
      const answer = parseRawPacket(family, data, signature);
      if (answer !== undefined) take(answer, stampedMs);
    });
}

/** Socket options IP_RECVERR and IPV6_RECVERR. */
const errorQueue: Readonly<Record<IpFamily, readonly [level: number, name: number]>> = { 4: [0, 11], 6: [41, 25] };

/** Receives from a ping socket: the kernel sets the identifier, verifies checksums and queues errors. */
function ownReceiver(family: IpFamily, fd: number, parts: EchoSocketParts): EchoSocket["receive"] {
  const { receive, signature } = parts;
  return (take) => {
    const errors = receive(fd, MSG_ERRQUEUE, (message) => {
      const answer = readQueuedError(family, message, parts.nextNumber());
      if (answer !== undefined) take(answer, message.stampedMs);
    });
    const more = receive(fd, 0, ({ data, stampedMs }) => {
      const number = parseEchoReply(data, signature);
      if (number !== undefined) take({ kind: "reply", number }, stampedMs);
    });
    return errors || more;
  };
}

/** Parses a queued error. It has only the sequence, the lower half of the number: the latest such echo is meant. */
function readQueuedError(
  family: IpFamily,
  { data, attached }: ReceivedMessage,
  nextNumber: number,
): EchoAnswer | undefined {
  const error = attached(...errorQueue[family]);
  if (error === undefined || error.length < 16 || data.length < 8) return undefined;
  const [fromIcmp, fromIcmp6] = [2, 3];
  const origin = error[4];
  const described =
    origin === fromIcmp || origin === fromIcmp6
      ? describeIcmpError(family, error[5] as number, error[6] as number)
      : "";
  const why = described === "" ? getSystemErrorName(-error.readUInt32LE(0)) : described;
  const sequence = data.readUInt16BE(6);
  const above = Math.floor(nextNumber / 65_536) * 65_536 + sequence;
  const number = above < nextNumber ? above : above - 65_536;
  return { kind: "refusal", number: number >>> 0, why };
}
