import koffi from "koffi";

// Numbers of Linux on 64-bit little-endian machines; see `hasKnownLibc`.
export const AF_INET = 2;
export const AF_INET6 = 10;
export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
/** Programs that are started later must not inherit a raw socket. */
const SOCK_CLOEXEC = 0o2000000;
export const IPPROTO_ICMP = 1;
export const IPPROTO_ICMPV6 = 58;
const MSG_DONTWAIT = 0x40;
export const MSG_ERRQUEUE = 0x2000;
export const SOL_SOCKET = 1;
export const SO_RCVBUF = 8;
export const SO_RCVBUFFORCE = 33;
/** Asks for, and names, the kernel's arrival time of a packet. */
export const SO_TIMESTAMPNS = 35;
const EFD_NONBLOCK = 0o4000;
const EFD_CLOEXEC = 0o2000000;
export const POLLIN = 1;
const CLOCK_REALTIME = 0;

/** The few calls to the C library that echoes need. Throws where there is no such library or none to call it with. */
export function openSocketLibc() {
  const libc = koffi.load(null);
  const socketOf = libc.func("int socket(int, int, int)");
  const setsockopt = libc.func("int setsockopt(int, int, int, const void *, uint32_t)");
  const sendto = libc.func("long sendto(int, const void *, size_t, int, const void *, uint32_t)");
  const recvmmsg = libc.func("int recvmmsg(int, void *, uint32_t, int, void *)");
  const poll = libc.func("int poll(void *, unsigned long, int)");
  const eventfd = libc.func("int eventfd(uint32_t, int)");
  const read = libc.func("long read(int, void *, size_t)");
  const clockGettime = libc.func("int clock_gettime(int, void *)");
  const time = Buffer.allocUnsafeSlow(16);
  const counter = Buffer.allocUnsafeSlow(8);

  return {
    /** A socket that never blocks, or -1. */
    socket: (family: number, type: number, protocol: number): number =>
      socketOf(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol) as number,
    /** Whether it was accepted. */
    setOption: (fd: number, [level, name]: readonly [number, number], value: Buffer): boolean =>
      setsockopt(fd, level, name, value, value.length) === 0,
    /** Whether the packet was sent; if not, `errno` tells why. */
    send: (fd: number, packet: Buffer, to: Buffer): boolean =>
      Number(sendto(fd, packet, packet.length, MSG_DONTWAIT, to, to.length)) >= 0,
    /** How many of `count` messages came; none and errors are 0. */
    receive: (fd: number, messages: Buffer, count: number, flags: number): number =>
      Math.max(0, recvmmsg(fd, messages, count, flags | MSG_DONTWAIT, null) as number),
    /** Waits until one of the descriptors has something, at most `ms`. */
    poll: (descriptors: Buffer, ms: number): void => void poll(descriptors, descriptors.length / 8, ms),
    /** A descriptor that becomes readable when 8 bytes are written to it, or -1. */
    eventfd: (): number => eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) as number,
    drain: (fd: number): void => void read(fd, counter, 8),
    errno: (): number => koffi.errno(),
    /** The kernel's wall clock, ms with fractions: the one that stamps packets. */
    wallMs(): number {
      clockGettime(CLOCK_REALTIME, time);
      return readTimespec(time, 0);
    },
    /** Where a buffer of its own is in memory. */
    addressOf: (buffer: Buffer): bigint => koffi.address(buffer),
  };
}

export type SocketLibc = ReturnType<typeof openSocketLibc>;

/** A `struct timespec` in ms. */
export const readTimespec = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) * 1_000 +
  bytes.readInt32LE(at + 4) * 4_294_967_296_000 +
  bytes.readUInt32LE(at + 8) / 1_000_000;
