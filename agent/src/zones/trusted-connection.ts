import type { NatsConnection } from "nats";

/** An address or `host:port` of this very machine. */
const loopback = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)(?::\d+)?$/;

/**
 * Why checks must not travel over `connection`; empty where they may. Checks hold secrets, and whoever may offer them
 * has programs run: only a broker that asks everybody for a login may carry them, or one on this very machine.
 */
export function whyUntrusted(connection: Pick<NatsConnection, "info" | "getServer">): string {
  if (connection.info?.auth_required === true) return "";
  const server = connection.getServer();
  return loopback.test(connection.info?.client_ip ?? "") || loopback.test(server)
    ? ""
    : `NATS at ${server} asks for no login and is not on this machine: checks and their secrets do not travel over it`;
}
