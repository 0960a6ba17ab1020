import type { NatsConnection } from "nats";

/** Loopback address, with or without a port. */
const loopback = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)(?::\d+)?$/;

/**
 * Reason why checks must not be sent over `connection`; empty when they may. Checks contain secrets, and a client that
 * can offer them can run programs: therefore the broker must require authentication or run on this machine.
 */
export function whyUntrusted(connection: Pick<NatsConnection, "info" | "getServer">): string {
  if (connection.info?.auth_required === true) return "";
  const server = connection.getServer();
  return loopback.test(connection.info?.client_ip ?? "") || loopback.test(server)
    ? ""
    : `NATS at ${server} requires no login and is not on this machine: checks, which contain secrets, are not sent over it`;
}
