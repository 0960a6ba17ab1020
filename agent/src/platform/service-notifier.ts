import { openLibc } from "./libc/libc.ts";
import { AF_UNIX, SOCK_DGRAM } from "./libc/socket-constants.ts";

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
  if (!/^[@/]./.test(name) || path.length > longestPath) return undefined;
  const libc = openLibc();
  const fd = libc?.socket(AF_UNIX, SOCK_DGRAM, 0) ?? -1;
  if (libc === undefined || fd < 0) return undefined;
  // The kernel expects the address family in the machine's byte order, here little-endian.
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), path]);
  return {
    send(...assignments) {
      libc.sendTo(fd, Buffer.from(assignments.join("\n")), address);
    },
    close: () => libc.close(fd),
  };
}
