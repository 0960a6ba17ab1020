import { createRequire } from "node:module";
import { endianness } from "node:os";

// Constants of Linux.
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2_000_000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/** Longest path of a Unix socket, bytes. */
const longestPath = 107;

/**
 * Opens the sd_notify(3) socket of the service manager that started this process.
 *
 * @param name value of `NOTIFY_SOCKET`: a path, or `@` and an abstract socket name
 * @returns undefined when `name` is not a valid socket name, or the socket cannot be opened
 */
export function openServiceNotifier(name: string) {
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : name);
  if (!/^[@/]./.test(name) || path.length > longestPath) return undefined;
  const sockets = bindSockets();
  const fd = sockets?.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) ?? -1;
  if (sockets === undefined || fd < 0) return undefined;
  // The kernel expects the address family in the machine's byte order, here little-endian.
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), path]);
  return {
    /** Sends assignments such as `READY=1`, one per line. A datagram that cannot be delivered is dropped. */
    send(...assignments: readonly string[]) {
      const datagram = Buffer.from(assignments.join("\n"));
      sockets.sendto(fd, datagram, datagram.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length);
    },
    close: () => sockets.close(fd),
  };
}

/** Functions of the C library, because Node.js has no datagram sockets of Unix; undefined on machines without them. */
function bindSockets() {
  if (process.platform !== "linux" || endianness() !== "LE") return undefined;
  try {
    // koffi's binaries are optional packages, so that loading it can fail.
    const library = (createRequire(import.meta.url)("koffi") as typeof import("koffi")).load(null);
    return {
      socket: library.func("int socket(int family, int type, int protocol)"),
      sendto: library.func("long sendto(int fd, void *from, size_t bytes, int flags, void *to, uint32_t toBytes)"),
      close: library.func("int close(int fd)"),
    };
  } catch {
    return undefined;
  }
}
