import koffi from "koffi";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
/** Neither waits for a manager that does not read, nor dies of one that is gone. */
const flags = 0x40 | 0x4000;
/** The longest path of a socket, bytes. */
const longestPath = 107;

export type ServiceNotifier = {
  /** Sends assignments such as `READY=1`, a line each. What cannot be delivered is dropped. */
  say(...assignments: readonly string[]): void;
  close(): void;
};

/**
 * Speaks to the service manager that started this process, as systemd's protocol wants it: datagrams to the socket that
 * `NOTIFY_SOCKET` names, where `@` begins an abstract name.
 *
 * @returns undefined where the name is none
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
  // The kernel wants the family in the machine's own order: every machine that Node runs on is little-endian.
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), path]);
  return {
    say(...assignments) {
      const message = Buffer.from(assignments.join("\n"));
      sendto(fd, message, message.length, flags, address, address.length);
    },
    close: () => void closeFile(fd),
  };
}
