import koffi from "koffi";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
/** MSG_DONTWAIT | MSG_NOSIGNAL: a service manager that does not read must not block or kill this process. */
const flags = 0x40 | 0x4000;
/** Longest path of a Unix socket, bytes. */
const longestPath = 107;

export type ServiceNotifier = {
  /** Sends assignments such as `READY=1`, one per line. A datagram that cannot be delivered is dropped. */
  send(...assignments: readonly string[]): void;
  close(): void;
};

/**
 * Opens the sd_notify(3) socket of the service manager that started this process.
 *
 * @param name value of `NOTIFY_SOCKET`: a path, or `@` and an abstract socket name
 * @returns undefined when `name` is not a valid socket name, or the socket cannot be opened
 */
export function openServiceNotifier(name: string): ServiceNotifier | undefined {
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : name);
  if (!/^[@/]./.test(name) || path.length > longestPath || process.platform !== "linux") return undefined;
  const libc = koffi.load(null);
  const openSocket = libc.func("int socket(int, int, int)");
  const closeFile = libc.func("int close(int)");
  const sendto = libc.func("long sendto(int, const void *, size_t, int, const void *, uint32_t)");
  const fd = openSocket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) as number;
  if (fd < 0) return undefined;
  // The kernel expects the address family in the machine's byte order, here little-endian.
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), path]);
  return {
    send(...assignments) {
      const message = Buffer.from(assignments.join("\n"));
      sendto(fd, message, message.length, flags, address, address.length);
    },
    close: () => void closeFile(fd),
  };
}
