// Constants of 64-bit little-endian Linux; see `isLibcSupported`.
export const AF_INET = 2;
export const AF_INET6 = 10;
export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
export const IPPROTO_ICMP = 1;
export const IPPROTO_ICMPV6 = 58;
export const MSG_ERRQUEUE = 0x2000;
export const SOL_SOCKET = 1;
export const SO_RCVBUF = 8;
export const SO_RCVBUFFORCE = 33;
/** Requests, and identifies, the kernel's arrival time of a packet. */
export const SO_TIMESTAMPNS = 35;
